import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Arena } from '../arena/arena';
import { Pool } from 'pg';

export interface SentMessage {
  readonly subject: string;
  readonly payload: Uint8Array;
}

/**
 * Listens to what the services publish and asks the database at once whether it is so: a message must follow the commit of
 * what it tells. What cannot be asked, because the database is away, is not judged.
 */
export class MessageWatch {
  readonly problems: string[] = [];
  /** The last messages, for those who want to send one again. */
  readonly recent: SentMessage[] = [];
  private judged = 0;

  private constructor(
    private readonly nats: NatsConnection,
    private readonly pool: Pool,
  ) {}

  static async over(arena: Arena): Promise<MessageWatch> {
    const address = new URL(arena.servers.natsUrl);
    const nats = await connect({
      servers: address.host,
      user: decodeURIComponent(address.username),
      pass: decodeURIComponent(address.password),
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      name: 'faults-watch',
    });
    const pool = new Pool({ connectionString: arena.servers.databaseUrl, max: 4, query_timeout: 5_000 });
    pool.on('error', () => undefined);
    const watch = new MessageWatch(nats, pool);
    for (const subject of ['work.>', 'results.>', 'events.>']) {
      nats.subscribe(subject, {
        callback: (error, { subject, data }) => {
          if (error) return;
          watch.recent.push({ subject, payload: data.slice() });
          if (watch.recent.length > 200) watch.recent.shift();
          if (!subject.startsWith('results.')) void watch.judge(subject, data);
        },
      });
    }
    return watch;
  }

  /** How many messages were compared with the database. */
  get compared(): number {
    return this.judged;
  }

  /** The connection, to publish by. */
  get connection(): NatsConnection {
    return this.nats;
  }

  async close(): Promise<void> {
    await this.nats.close();
    await this.pool.end();
  }

  private async judge(subject: string, data: Uint8Array): Promise<void> {
    const told = JSON.parse(new TextDecoder().decode(data)) as Record<string, unknown>;
    try {
      const problem = subject.startsWith('work.')
        ? await this.judgeWork(subject, told)
        : await this.judgeEvent(subject, told);
      this.judged += 1;
      if (problem) this.problems.push(problem);
    } catch {
      // The database is away; the message will be judged by what comes of it.
    }
  }

  private async judgeWork(subject: string, told: Record<string, unknown>): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ attempt: number }>(
      `SELECT attempt FROM jobs.work_items WHERE id = $1
        UNION ALL SELECT 2147483647 FROM jobs.jobs WHERE id = $2 AND state NOT IN ('uploading', 'pending', 'processing')`,
      [told['item_id'], told['job_id']],
    );
    const committed = Math.max(-1, ...rows.map(({ attempt }) => attempt));
    return committed >= Number(told['attempt'])
      ? undefined
      : `${subject} was sent for attempt ${String(told['attempt'])} of ${String(told['item_id'])} before that was committed.`;
  }

  private async judgeEvent(subject: string, told: Record<string, unknown>): Promise<string | undefined> {
    if (!subject.startsWith('events.job_changed')) return undefined;
    const { rows } = await this.pool.query<{ state: string }>('SELECT state FROM jobs.jobs WHERE id = $1', [
      told['job_id'],
    ]);
    const isOver = told['status'] === 'completed' || told['status'] === 'failed';
    if (!isOver || rows.length === 0 || rows[0]!.state === told['status']) return undefined;
    return `${subject} told that job ${String(told['job_id'])} is ${String(told['status'])} while it was ${rows[0]!.state}.`;
  }
}
