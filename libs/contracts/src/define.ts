import type { z } from 'zod';

/** A question one service asks another over NATS request/reply; the answer is a Result of `reply`. */
export interface RequestContract<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  kind: 'request';
  subject: string;
  payload: P;
  reply: R;
}

/**
 * A message kept by a JetStream stream until it is handled.
 */
export interface StreamMessageContract<P extends z.ZodType = z.ZodType> {
  kind: 'stream';
  stream: StreamName;
  subject: string;
  payload: P;
}

/** A note sent at most once to whoever listens now; losing it must do no harm. */
export interface NoticeContract<P extends z.ZodType = z.ZodType> {
  kind: 'notice';
  subject: string;
  payload: P;
}

export type StreamName = 'CURRAWONG_WORK' | 'CURRAWONG_RESULTS' | 'CURRAWONG_EVENTS';

export type PayloadOf<C extends { payload: z.ZodType }> = z.infer<C['payload']>;
export type ReplyOf<C extends { reply: z.ZodType }> = z.infer<C['reply']>;

export function defineRequest<P extends z.ZodType, R extends z.ZodType>(
  subject: string,
  payload: P,
  reply: R,
): RequestContract<P, R> {
  return { kind: 'request', subject, payload, reply };
}

export function defineStreamMessage<P extends z.ZodType>(
  stream: StreamName,
  subject: string,
  payload: P,
): StreamMessageContract<P> {
  return { kind: 'stream', stream, subject, payload };
}

export function defineNotice<P extends z.ZodType>(subject: string, payload: P): NoticeContract<P> {
  return { kind: 'notice', subject, payload };
}
