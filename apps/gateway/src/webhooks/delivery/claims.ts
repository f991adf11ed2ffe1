import { DataSource, row, rows, type EntityManager } from '@currawong/database';
import { Inject, Injectable } from '@nestjs/common';
import { v4 as uuidv4 } from 'uuid';
import { audit } from '../../accounts/audit/audit-log';
import { endPending, lockEndpoint } from '../endpoints';
import { WEBHOOKS_CONFIG, type WebhooksConfig } from './config';
import type { Verdict } from './verdict';

/** A delivery that this process has alone until its lease is over. */
export interface Claimed {
  id: string;
  account_id: string;
  claim_id: string;
  type: string;
  url: string;
  origin: string;
  is_default: boolean;
  body: string;
  attempts: number;
  scheduled: number;
  is_last: boolean;
}

/** What is kept of an attempt. */
export interface AttemptRecord {
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  answer: string;
}

const GONE = 'the receiver answered 410: it wants nothing more';
const DISABLED = 'the address was disabled after its receiver had answered 410';
/** So many that are due are looked at one by one; where there are more, every receiver is. */
const LOOKED_AT_SINGLY = 1_000;
/** Of what is under way in a process, the share that one account may have: its addresses are as many as it likes. */
const ACCOUNT_SHARE = 4;

/**
 * Who sends what, decided in the database and by its clock, so that any number of processes share the work, and what a
 * killed one had is free again when its lease is over.
 */
@Injectable()
export class Claims {
  constructor(
    private readonly source: DataSource,
    @Inject(WEBHOOKS_CONFIG) private readonly config: WebhooksConfig,
  ) {}

  /** Longer than an attempt and what is written of it can take. */
  private get leaseSeconds(): number {
    return this.config.WEBHOOK_TIMEOUT_SECONDS * 2 + 1;
  }

  /**
   * What is due, the longest first, passing by receivers that have as many attempts under way as they may: a slow one
   * occupies its own places and nobody else's. Few are due as a rule, and their receivers are found from them: thousands
   * that are dead have something pending for a day. Behind a backlog it looks at each receiver that has something pending,
   * not at all that it has.
   * @param free how many at most
   */
  claim(free: number): Promise<Claimed[]> {
    const perReceiver = this.config.WEBHOOK_CONCURRENCY_PER_RECEIVER;
    const perAccount = Math.max(perReceiver, Math.floor(this.config.WEBHOOK_CONCURRENCY / ACCOUNT_SHARE));
    return this.source.transaction(async (manager) => {
      // One at a time: two that count at once would both find the same place free.
      await manager.query("SELECT pg_advisory_xact_lock(hashtextextended('webhook claims', 0))");
      return rows<Claimed>(
        manager,
        `WITH RECURSIVE longest_due AS MATERIALIZED (
           SELECT account_id, origin FROM webhook_deliveries WHERE state = 'pending' AND next_attempt_at <= now()
            ORDER BY next_attempt_at LIMIT ${LOOKED_AT_SINGLY}
         ), all_receivers AS (
           (SELECT account_id, origin FROM webhook_deliveries
             WHERE state = 'pending' AND (SELECT count(*) FROM longest_due) = ${LOOKED_AT_SINGLY}
             ORDER BY account_id, origin LIMIT 1)
           UNION ALL
           SELECT following.account_id, following.origin FROM all_receivers r CROSS JOIN LATERAL (
             SELECT account_id, origin FROM webhook_deliveries
              WHERE state = 'pending' AND (account_id, origin) > (r.account_id, r.origin)
              ORDER BY account_id, origin LIMIT 1) following
         ), receivers AS (
           SELECT account_id, origin FROM longest_due UNION SELECT account_id, origin FROM all_receivers
         ), busy AS (
           SELECT account_id, origin, count(*)::int AS attempts FROM webhook_deliveries
            WHERE claim_id IS NOT NULL AND claimed_until > now() GROUP BY account_id, origin
         ), due AS (
           SELECT d.id, d.next_attempt_at,
                  row_number() OVER (PARTITION BY r.account_id ORDER BY d.next_attempt_at)
                    + coalesce((SELECT sum(b.attempts) FROM busy b WHERE b.account_id = r.account_id), 0) AS nth
             FROM receivers r LEFT JOIN busy USING (account_id, origin)
             CROSS JOIN LATERAL (
               SELECT id, next_attempt_at FROM webhook_deliveries
                WHERE state = 'pending' AND account_id = r.account_id AND origin = r.origin
                  AND next_attempt_at <= now() AND (claimed_until IS NULL OR claimed_until <= now())
                ORDER BY next_attempt_at LIMIT greatest(0, $1 - coalesce(busy.attempts, 0))) d
         ), chosen AS MATERIALIZED (
           SELECT id FROM due WHERE nth <= $2 ORDER BY next_attempt_at LIMIT $3
         ), locked AS MATERIALIZED (
           -- Without waiting: whoever changes an address at the moment locks its deliveries in another order.
           SELECT id FROM webhook_deliveries WHERE id IN (SELECT id FROM chosen) AND state = 'pending'
              AND (claimed_until IS NULL OR claimed_until <= now()) FOR UPDATE SKIP LOCKED
         )
         UPDATE webhook_deliveries SET claim_id = $4, claimed_until = now() + make_interval(secs => $5)
          WHERE id IN (SELECT id FROM locked)
          RETURNING id, account_id, claim_id, type, url, origin, is_default, body, attempts, scheduled, is_last`,
        [perReceiver, perAccount, free, uuidv4(), this.leaseSeconds],
      );
    });
  }

  /** Keeps an attempt and what follows from it. Nothing where the lease was lost: somebody else has sent it since. */
  async settle(claimed: Claimed, attempt: AttemptRecord, verdict: Verdict): Promise<boolean> {
    return this.source.transaction(async (manager) => {
      const next = verdict.kind === 'failed' ? await this.unlessMoved(manager, claimed, verdict) : verdict;
      const settled = await row<{ attempts: number }>(
        manager,
        `UPDATE webhook_deliveries
            SET claim_id = NULL, claimed_until = NULL, attempts = attempts + 1, scheduled = $3,
                last_attempt_at = now(), last_status_code = $4, last_error = $5,
                -- Its address may have been taken away since it was claimed.
                state = CASE WHEN $6::text <> 'again' THEN $6::text WHEN is_last THEN 'failed' ELSE 'pending' END,
                ended_at = CASE WHEN $6::text = 'again' AND NOT is_last THEN NULL ELSE now() END,
                next_attempt_at = now() + make_interval(secs => $7)
          WHERE id = $1 AND claim_id = $2 RETURNING attempts`,
        [
          ...[claimed.id, claimed.claim_id, claimed.scheduled + 1, attempt.statusCode, attempt.error],
          ...[next.kind, next.kind === 'again' ? next.afterSeconds : 0],
        ],
      );
      if (!settled) return false;
      await manager.query(
        `INSERT INTO webhook_attempts (delivery_id, number, at, duration_ms, status_code, error, answer)
         VALUES ($1, $2, now() - make_interval(secs => $3::float8 / 1000), $3, $4, $5, $6)`,
        [claimed.id, settled.attempts, attempt.durationMs, attempt.statusCode, attempt.error, attempt.answer],
      );
      if (next.kind === 'failed' && next.endpointGone && claimed.is_default)
        await this.disable(manager, claimed);
      return true;
    });
  }

  /** Interruption is not failure: what was begun and not finished is anybody's again at once. */
  async giveBack(claimed: Claimed): Promise<void> {
    await this.source.query(
      'UPDATE webhook_deliveries SET claim_id = NULL, claimed_until = NULL WHERE id = $1 AND claim_id = $2',
      [claimed.id, claimed.claim_id],
    );
  }

  /** What failed at the account's own address, and is meant for another one by now, is sent there at once. */
  private async unlessMoved(manager: EntityManager, claimed: Claimed, failed: Verdict): Promise<Verdict> {
    if (!claimed.is_default) return failed;
    // As whoever changes the address: the endpoint is locked before its deliveries.
    await lockEndpoint(manager, claimed.account_id);
    const moved = await row(manager, 'SELECT FROM webhook_deliveries WHERE id = $1 AND url <> $2', [
      claimed.id,
      claimed.url,
    ]);
    return moved ? { kind: 'again', afterSeconds: 0 } : failed;
  }

  private async disable(manager: EntityManager, { account_id, url, origin }: Claimed): Promise<void> {
    const disabled = await row(
      manager,
      `UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = $3
        WHERE account_id = $1 AND url = $2 AND disabled_at IS NULL RETURNING account_id`,
      [account_id, url, GONE],
    );
    if (!disabled) return;
    await endPending(manager, account_id, DISABLED);
    await audit(manager, account_id, 'webhook_disabled', { actor: 'system', address: null }, origin);
  }
}
