import type { TopUpBody } from '@currawong/contracts';
import { DataSource, row, rows } from '@currawong/database';
import { Injectable } from '@nestjs/common';

/** `starting` is before the payment provider has given a page; `paid` is final, whatever is heard afterwards. */
export type TopUpState = TopUpBody['state'] | 'starting';

/** A customer's attempt to pay, as far as decisions about it go. */
export interface TopUp {
  id: string;
  accountId: string;
  amountMicroAud: bigint;
  state: TopUpState;
  sessionId: string | null;
  /** Where to pay, as long as that is possible. */
  checkoutUrl: string | null;
  /** Why it failed, for the operator. */
  problem: string | null;
}

export interface TopUpRow {
  id: string;
  account_id: string;
  amount_micro_aud: string;
  state: TopUpState;
  session_id: string | null;
  checkout_url: string | null;
  problem: string | null;
}

/** A top-up with its times, as it is shown. */
export type ShownTopUp = TopUpRow & { created_at: Date; paid_at: Date | null };

/**
 * Top-ups outside of the books: their start, and reading them. What becomes of one that has started is decided on the
 * journal's page, because a payment and its booking are one thing.
 */
@Injectable()
export class TopUps {
  constructor(private readonly source: DataSource) {}

  async insert(id: string, accountId: string, amountMicroAud: bigint): Promise<void> {
    await this.source.query(
      `INSERT INTO top_ups (id, account_id, amount_micro_aud, state) VALUES ($1, $2, $3, 'starting')`,
      [id, accountId, String(amountMicroAud)],
    );
  }

  /** Nothing changes where an event about the session was faster. */
  async open(id: string, sessionId: string, checkoutUrl: string): Promise<ShownTopUp> {
    await this.source.query(
      `UPDATE top_ups SET state = 'open', session_id = $2, checkout_url = $3 WHERE id = $1 AND state = 'starting'`,
      [id, sessionId, checkoutUrl],
    );
    return (await row<ShownTopUp>(this.source, `${SELECT} WHERE id = $1`, [id]))!;
  }

  /** @returns how many were still starting */
  async giveUp(id: string, problem: string): Promise<number> {
    const given = await rows(
      this.source,
      `UPDATE top_ups SET state = 'failed', problem = $2 WHERE id = $1 AND state = 'starting' RETURNING id`,
      [id, problem],
    );
    return given.length;
  }

  /** The newest twenty that had a page to pay on. */
  newest(accountId: string): Promise<ShownTopUp[]> {
    return rows<ShownTopUp>(
      this.source,
      `${SELECT} WHERE account_id = $1 AND session_id IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT 20`,
      [accountId],
    );
  }

  async idOfSession(sessionId: string): Promise<string | undefined> {
    const found = await row<{ id: string }>(this.source, 'SELECT id FROM top_ups WHERE session_id = $1', [
      sessionId,
    ]);
    return found?.id;
  }

  /**
   * Some unsettled ones that have been so for long enough, the longest unasked first, each marked as asked now; none
   * when all have been asked lately. The longer one waits, the more rarely it comes up: a bank transfer may take days.
   */
  async takeUnsettled(olderThanSeconds: number): Promise<{ id: string; session_id: string | null }[]> {
    return rows(
      this.source,
      `UPDATE top_ups SET asked_at = now() WHERE id IN (
         SELECT id FROM top_ups
          WHERE state IN ('starting', 'open') AND created_at <= now() - make_interval(secs => $1)
            AND (asked_at IS NULL OR asked_at <= now() - greatest((now() - created_at) / 20, interval '1 minute'))
          ORDER BY asked_at NULLS FIRST, created_at LIMIT 20 FOR UPDATE SKIP LOCKED)
       RETURNING id, session_id`,
      [olderThanSeconds],
    );
  }
}

const SELECT = `SELECT id, account_id, amount_micro_aud, state, session_id, checkout_url, problem, created_at, paid_at
  FROM top_ups`;

export function topUpFrom(row: TopUpRow): TopUp {
  return {
    id: row.id,
    accountId: row.account_id,
    amountMicroAud: BigInt(row.amount_micro_aud),
    state: row.state,
    sessionId: row.session_id,
    checkoutUrl: row.checkout_url,
    problem: row.problem,
  };
}

export function toTopUpRow(topUp: TopUp): Omit<TopUpRow, 'account_id' | 'amount_micro_aud'> {
  const { id, state, sessionId, checkoutUrl, problem } = topUp;
  return { id, state, session_id: sessionId, checkout_url: checkoutUrl, problem };
}
