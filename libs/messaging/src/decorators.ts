import { applyDecorators, Catch, UseFilters, type ExceptionFilter } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { throwError } from 'rxjs';
import type {
  NoticeContract,
  PayloadOf,
  ReplyOf,
  RequestContract,
  Result,
  StreamMessageContract,
} from '@currawong/contracts';
import type { Delivery } from './delivery';
import type { Outcome } from './outcome';

/**
 * The method of a controller that answers a request: `(payload) => Promise<Result<Reply>>`. Replicas share the
 * requests. What it throws reaches our log and, as a breakdown without words, the caller.
 */
export function Answers<C extends RequestContract>(contract: C) {
  return handles<(payload: PayloadOf<C>) => Promise<Result<ReplyOf<C>>>>(
    `answers ${contract.subject}`,
    () => ({
      kind: 'answers',
      contract,
    }),
  );
}

export interface ConsumesOptions<C extends StreamMessageContract, Settings> {
  /** the consumer's name in the broker; replicas with the same name share the messages */
  durable: string;
  /** one contract or several of the same stream; subjects with a suffix are included */
  contracts: C | readonly C[];
  /** messages handled at a time by this process, 1 unless told; a function gets the strategy's `settings` */
  slots?: number | ((settings: Settings) => number);
  /** silence after which the broker gives the message to another replica; kept up by itself while a handler runs */
  ackWaitSeconds?: number;
}

/**
 * The method of a controller that handles messages of a stream: `(payload, delivery) => Promise<Outcome>`. What it
 * throws means retry with growing delay.
 */
export function Consumes<C extends StreamMessageContract, Settings = unknown>(
  options: ConsumesOptions<C, Settings>,
) {
  return handles<(payload: PayloadOf<C>, delivery: Delivery) => Promise<Outcome>>(
    `consumes ${options.durable}`,
    () => ({
      kind: 'consumes',
      durable: options.durable,
      contracts: [options.contracts].flat(),
      slots: (options.slots ?? 1) as ConsumesRegistration['slots'],
      ackWaitSeconds: options.ackWaitSeconds ?? 30,
    }),
  );
}

/**
 * The method of a controller that hears notices: `(payload) => Promise<void>`.
 * @param queue replicas that give the same name share the notices; without one every replica hears each of them
 */
export function Hears<C extends NoticeContract>(contract: C, { queue }: { queue?: string } = {}) {
  return handles<(payload: PayloadOf<C>) => void | Promise<void>>(`hears ${contract.subject}`, () => ({
    kind: 'hears',
    contract,
    queue,
  }));
}

export interface ConsumesRegistration {
  kind: 'consumes';
  durable: string;
  contracts: StreamMessageContract[];
  slots: number | ((settings: unknown) => number);
  ackWaitSeconds: number;
}
export interface AnswersRegistration {
  kind: 'answers';
  contract: RequestContract;
}
export interface HearsRegistration {
  kind: 'hears';
  contract: NoticeContract;
  queue: string | undefined;
}
export type Registration = ConsumesRegistration | AnswersRegistration | HearsRegistration;

/** Handlers made with these decorators belong to NatsStrategy and to no other transport of the application. */
export const NATS_TRANSPORT = Symbol('currawong.nats');

/** Nest's own filter would turn an exception into a text for the caller; ours lets the strategy see it. */
@Catch()
class KeepException implements ExceptionFilter {
  catch(exception: unknown) {
    return throwError(() => exception);
  }
}

function handles<Method extends (...args: never[]) => unknown>(
  name: string,
  registration: () => Registration,
) {
  return <M extends Method>(target: object, key: string, descriptor: TypedPropertyDescriptor<M>): void => {
    // Nest would let a second handler of one pattern replace the first, so the pattern names the method as well; the
    // strategy refuses what must be unique.
    const pattern = `${name} by ${target.constructor.name}.${key}`;
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
    applyDecorators(
      MessagePattern(pattern, NATS_TRANSPORT, { registration: registration() }),
      UseFilters(new KeepException()),
    )(target, key, descriptor);
  };
}
