import type { StreamMessageContract, PayloadOf } from '@currawong/contracts';
import { settlesWithin, toRawMessage, type Publisher, type RawMessage } from '@currawong/messaging';
import { crashPoint } from '@currawong/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { rows } from './data-source';

/** Each service with an outbox makes this table in its own schema. */
export const OUTBOX_TABLE_SQL = `
  CREATE TABLE outbox (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject     text NOT NULL,
    message_id  text NOT NULL,
    payload     jsonb NOT NULL,
    headers     jsonb NOT NULL DEFAULT '{}',
    created_at  timestamptz NOT NULL DEFAULT now()
  );
`;

interface WaitingMessage extends RawMessage {
  id: string;
}

export interface Send {
  /** Writes a message beside the state change that causes it: both are committed or neither is. */
  <C extends StreamMessageContract>(
    contract: C,
    payload: PayloadOf<C>,
    options: { messageId: string },
  ): Promise<void>;
  /** Has something done at once when the transaction has committed, and never where it has not. A crash loses it. */
  afterCommit(act: () => void): void;
}

const PAGE = 200;
const SETTLE_WITHIN_MS = 2_000;

export interface OutboxLog {
  warn(message: string): void;
}

/**
 * Messages that must follow a commit. They are published the moment the transaction has committed; a row stays until
 * the stream has acknowledged it, so what a crash or a broken connection left is found by `sweep` and sent again
 * under the same message id, which the stream drops where it has it already.
 */
export class Outbox {
  private readonly sent: string[] = [];
  private forgetting: Promise<void> | undefined;

  constructor(
    private readonly source: DataSource,
    private readonly publisher: Publisher,
    private readonly log: OutboxLog,
  ) {}

  /** Runs `work` in one transaction; what it sends goes out after the commit and is lost with a rollback. */
  async transaction<T>(work: (manager: EntityManager, send: Send) => Promise<T>): Promise<T> {
    const written: WaitingMessage[] = [];
    const acts: (() => void)[] = [];
    const result = await this.source.transaction(async (manager) => {
      const write = async <C extends StreamMessageContract>(
        contract: C,
        payload: PayloadOf<C>,
        options: { messageId: string },
      ): Promise<void> => {
        const message = toRawMessage(contract, payload, options);
        const [inserted] = await rows<{ id: string }>(
          manager,
          'INSERT INTO outbox (subject, message_id, payload, headers) VALUES ($1, $2, $3, $4) RETURNING id',
          [message.subject, message.messageId, message.payload, message.headers],
        );
        written.push({ id: inserted!.id, ...message });
      };
      return work(manager, Object.assign(write, { afterCommit: (act: () => void) => void acts.push(act) }));
    });
    if (written.length > 0) crashPoint('outbox.committed');
    // Nobody waits for the stream: the commit already says that the message will come.
    for (const message of written) void this.push(message);
    for (const act of acts) act();
    return result;
  }

  /**
   * Sends what has been waiting for longer than a push takes.
   * @returns how many were sent
   */
  async sweep(olderThanSeconds = 2): Promise<number> {
    let sent = 0;
    let afterId = '0';
    // Page by page to the end: messages that a full stream refuses must not hide those of another one.
    for (;;) {
      const waiting = await rows<WaitingMessage>(
        this.source,
        `SELECT id, subject, message_id AS "messageId", payload::text AS payload, headers FROM outbox
          WHERE created_at < now() - make_interval(secs => $1) AND id > $2 ORDER BY id LIMIT ${PAGE}`,
        [olderThanSeconds, afterId],
      );
      const pushed = await Promise.all(waiting.map((message) => this.push(message)));
      sent += pushed.filter(Boolean).length;
      if (waiting.length < PAGE) break;
      afterId = waiting.at(-1)!.id;
    }
    await this.forgetting;
    return sent;
  }

  private async push(message: WaitingMessage): Promise<boolean> {
    try {
      await this.publisher.publishRaw(message);
    } catch (error) {
      this.log.warn(`outbox: ${message.subject} ${message.messageId} waits for the sweep: ${String(error)}`);
      return false;
    }
    crashPoint('outbox.published');
    this.sent.push(message.id);
    this.forgetting ??= this.forgetSent().finally(() => (this.forgetting = undefined));
    return true;
  }

  /**
   * Deletes acknowledged rows, many at a time and without waiting for the disk: a row that comes back after a power
   * cut is sent once more under its old id.
   */
  private async forgetSent(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 20));
    while (this.sent.length > 0) {
      const ids = this.sent.splice(0);
      try {
        await this.source.transaction(async (manager) => {
          await manager.query('SET LOCAL synchronous_commit = off');
          await manager.query('DELETE FROM outbox WHERE id = ANY($1::bigint[])', [ids]);
        });
      } catch (error) {
        this.log.warn(`outbox: ${ids.length} sent rows stay for the sweep: ${String(error)}`);
        return;
      }
    }
  }

  /** Waits 2 s until what was sent is also forgotten; for an orderly end. What is not forgotten is for the next sweep. */
  async settle(): Promise<void> {
    if (this.forgetting) await settlesWithin(this.forgetting, SETTLE_WITHIN_MS);
  }
}
