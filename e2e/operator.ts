import type { PayloadOf, ReplyOf, RequestContract } from '@currawong/contracts';
import { connectMessaging, Requester, type MessagingConnection } from '@currawong/messaging';
import type { TestPlatform } from '@currawong/testing';
import { setTimeout as sleep } from 'node:timers/promises';

/** Asks the services what the admin command asks them, without a process for every question. */
export class Operator {
  private constructor(
    private readonly connection: MessagingConnection,
    private readonly requester: Requester,
  ) {}

  static async join(platform: Pick<TestPlatform, 'nats'>): Promise<Operator> {
    const connection = await connectMessaging({ url: platform.nats.url, name: 'operator' });
    return new Operator(connection, new Requester(connection));
  }

  /** A service that is away is asked again; a refusal fails the test. */
  async ask<C extends RequestContract>(
    contract: C,
    payload: PayloadOf<C>,
    withinSeconds = 30,
  ): Promise<ReplyOf<C>> {
    const deadline = Date.now() + withinSeconds * 1000;
    for (;;) {
      try {
        const result = await this.requester.ask(contract, payload, { deadlineMs: 15_000 });
        if (result.ok) return result.value;
        throw new RefusedError(`${contract.subject} was refused: ${JSON.stringify(result.refusal)}`);
      } catch (error) {
        if (error instanceof RefusedError || Date.now() > deadline) throw error;
        await sleep(200);
      }
    }
  }

  leave(): Promise<void> {
    return this.connection.close();
  }
}

class RefusedError extends Error {}
