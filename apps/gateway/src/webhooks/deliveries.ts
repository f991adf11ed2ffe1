import {
  accept,
  refuse,
  WebhookDelivery,
  WebhookEvent,
  type EndedJob,
  type Owner,
  type Result,
  type WebhookAttempt,
  type WebhookDeliveryDetail,
} from '@currawong/contracts';
import { DataSource, row, rows, type EntityManager } from '@currawong/database';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { originOf } from './origin';
import { messageOfJob, testMessage } from './message';
import { ensureSecret } from './secrets';

interface DeliveryRow {
  id: string;
  type: WebhookDelivery['type'];
  job_id: string | null;
  url: string;
  state: WebhookDelivery['status'];
  body: string;
  created_at: Date;
  attempts: number;
  last_attempt_at: Date | null;
  last_status_code: number | null;
  last_error: string | null;
  next_attempt_at: Date;
}

export interface LogQuery {
  page: number;
  page_size: number;
  status?: WebhookDelivery['status'] | undefined;
  job_id?: string | undefined;
}

/** What was, is being and will be told to receivers. A delivery of another account or mode is not there. */
@Injectable()
export class Deliveries {
  constructor(private readonly source: DataSource) {}

  async list(owner: Owner, query: LogQuery): Promise<{ deliveries: WebhookDelivery[]; total: number }> {
    const filter = `account_id = $1 AND mode = $2 AND ($3::text IS NULL OR state = $3) AND ($4::uuid IS NULL OR job_id = $4)`;
    const parameters = [owner.account_id, owner.mode, query.status ?? null, query.job_id ?? null];
    const [found, count] = await Promise.all([
      rows<DeliveryRow>(
        this.source,
        `SELECT * FROM webhook_deliveries WHERE ${filter} ORDER BY created_at DESC, id DESC LIMIT $5 OFFSET $6`,
        [...parameters, query.page_size, (query.page - 1) * query.page_size],
      ),
      row<{ total: number }>(
        this.source,
        `SELECT count(*)::int AS total FROM webhook_deliveries WHERE ${filter}`,
        parameters,
      ),
    ]);
    return { deliveries: found.map(asDelivery), total: count!.total };
  }

  async show(owner: Owner, id: string): Promise<WebhookDeliveryDetail | undefined> {
    const delivery = await row<DeliveryRow>(
      this.source,
      'SELECT * FROM webhook_deliveries WHERE id = $1 AND account_id = $2 AND mode = $3',
      [id, owner.account_id, owner.mode],
    );
    if (!delivery) return undefined;
    const attempts = await rows<Omit<WebhookAttempt, 'at'> & { at: Date }>(
      this.source,
      `SELECT number, at, duration_ms, status_code, error, answer FROM webhook_attempts
        WHERE delivery_id = $1 ORDER BY number`,
      [id],
    );
    return {
      ...asDelivery(delivery),
      payload: WebhookEvent.parse(JSON.parse(delivery.body)),
      attempts: attempts.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
    };
  }

  /**
   * Sends it once more as soon as possible, under its id and with its body. One that has ended gets this one attempt; one
   * that has not goes on with its schedule after it, and one that is being sent right now is left at that. What went to
   * the account's own address goes to the one that is set now.
   * @returns false where there is none
   */
  async replay(owner: Owner, id: string): Promise<boolean> {
    return this.source.transaction(async (manager) => {
      const url = (await addressesOf(manager, [owner.account_id])).get(owner.account_id) ?? null;
      const replayed = await row(
        manager,
        `UPDATE webhook_deliveries
          SET next_attempt_at = now(), is_last = is_last OR state <> 'pending', state = 'pending', ended_at = NULL,
              scheduled = greatest(scheduled - 1, 0),
              url = CASE WHEN is_default THEN coalesce($4, url) ELSE url END,
              origin = CASE WHEN is_default THEN coalesce($5, origin) ELSE origin END
        WHERE id = $1 AND account_id = $2 AND mode = $3 RETURNING id`,
        [id, owner.account_id, owner.mode, url, url === null ? null : originOf(url)],
      );
      return replayed !== undefined;
    });
  }

  /** A message that says nothing, to the account's own address: one attempt. Refuses with `webhook_not_set`. */
  async writeTest(owner: Owner): Promise<Result<string>> {
    const id = uuidv7();
    const { type, body } = testMessage(id, new Date());
    return this.source.transaction(async (manager) => {
      const url = (await addressesOf(manager, [owner.account_id])).get(owner.account_id);
      if (url === undefined) return refuse('webhook_not_set');
      await manager.query(
        `INSERT INTO webhook_deliveries (id, account_id, mode, type, url, origin, is_default, body, is_last)
         VALUES ($1, $2, $3, $4, $5, $6, true, $7, true)`,
        [id, owner.account_id, owner.mode, type, url, originOf(url), body],
      );
      return accept(id);
    });
  }

  /**
   * Keeps what is to be told of jobs that have ended, once for each however often it is called; nothing for jobs without
   * an address, and nothing for accounts that are closed. Committed when it returns.
   */
  async write(jobs: readonly EndedJob[]): Promise<void> {
    await this.source.transaction((manager) => this.writeIn(manager, jobs));
  }

  private async writeIn(manager: EntityManager, jobs: readonly EndedJob[]): Promise<void> {
    const known = await rows<{ id: string }>(
      manager,
      `SELECT id FROM accounts WHERE id = ANY($1::uuid[]) AND state <> 'closed'`,
      [[...new Set(jobs.map(({ account_id }) => account_id))]],
    );
    const open = new Set(known.map(({ id }) => id));
    const urlOf = await addressesOf(manager, [...open]);
    const told = jobs.flatMap((job) => {
      if (!open.has(job.account_id)) return [];
      const url = job.webhook_url ?? urlOf.get(job.account_id);
      if (url === undefined) return [];
      const { id, type, body } = messageOfJob(job);
      return [
        {
          ...{ id, type, body, url, origin: originOf(url), is_default: job.webhook_url === null },
          ...{ account_id: job.account_id, mode: job.mode, job_id: job.job_id },
        },
      ];
    });
    if (told.length === 0) return;
    // In one order for everybody, so that those who write the same at once wait for one another and no more.
    for (const accountId of new Set(told.map(({ account_id }) => account_id).toSorted()))
      await ensureSecret(manager, accountId);
    await manager.query(
      `INSERT INTO webhook_deliveries (id, account_id, mode, type, job_id, url, origin, is_default, body)
       SELECT id, account_id, mode, type, job_id, url, origin, is_default, body
         FROM jsonb_to_recordset($1) AS told (id uuid, account_id uuid, mode text, type text, job_id uuid, url text,
                                              origin text, is_default boolean, body text)
        ORDER BY id
       ON CONFLICT (id) DO NOTHING`,
      [JSON.stringify(told)],
    );
  }
}

/**
 * The accounts' own addresses, of those that have one in use, by account. They stay until the transaction ends: who takes
 * one away meanwhile waits, and then ends what was written to it.
 */
async function addressesOf(manager: EntityManager, accountIds: string[]): Promise<Map<string, string>> {
  const found = await rows<{ account_id: string; url: string }>(
    manager,
    `SELECT account_id, url FROM webhook_endpoints
      WHERE account_id = ANY($1::uuid[]) AND url IS NOT NULL AND disabled_at IS NULL
      ORDER BY account_id FOR SHARE`,
    [accountIds],
  );
  return new Map(found.map(({ account_id, url }) => [account_id, url]));
}

function asDelivery(delivery: DeliveryRow): WebhookDelivery {
  return {
    id: delivery.id,
    type: delivery.type,
    job_id: delivery.job_id,
    url: delivery.url,
    status: delivery.state,
    created_at: delivery.created_at.toISOString(),
    attempt_count: delivery.attempts,
    last_attempt_at: delivery.last_attempt_at?.toISOString() ?? null,
    last_status_code: delivery.last_status_code,
    last_error: delivery.last_error,
    next_attempt_at: delivery.state === 'pending' ? delivery.next_attempt_at.toISOString() : null,
  };
}
