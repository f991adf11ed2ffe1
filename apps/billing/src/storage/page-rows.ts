import { type EntityManager, row, rows } from '@currawong/database';
import { toMonthRows } from './month-rows';
import { creditKey, type Needs, Page, type PageContents } from './page';
import {
  type BalanceRow,
  booksFrom,
  type CreditRow,
  holdFrom,
  type HoldRow,
  toBalanceRow,
  toHoldRow,
  toPostingRows,
  toTransactionRow,
} from './records';
import { topUpFrom, type TopUpRow, toTopUpRow } from './top-ups';

/** Reads what the decisions need and locks the accounts, always in the same order, so that two pages never deadlock. */
export async function openPage(manager: EntityManager, needs: Required<Needs>): Promise<Page> {
  const contents: PageContents = {
    books: new Map(),
    holds: new Map(),
    credits: new Map(),
    topUps: new Map(),
    lowBalanceThresholds: new Map(),
  };
  const locked = [needs.accountIds, needs.jobIds, needs.topUpIds];
  const balances = await rows<LockedBalanceRow>(manager, LOCK_BALANCES_SQL, locked);
  for (const balance of balances) {
    contents.books.set(balance.account_id, booksFrom(balance));
    const threshold = balance.low_balance_threshold_micro_aud;
    if (threshold !== null) contents.lowBalanceThresholds.set(balance.account_id, BigInt(threshold));
  }
  if (needs.jobIds.length > 0) {
    // A statement of its own: it must see what the last holder of the locks has committed.
    for (const hold of await rows<HoldRow>(manager, HOLDS_SQL, [needs.jobIds])) {
      contents.holds.set(hold.job_id, holdFrom(hold));
    }
  }
  if (needs.credits.length > 0) {
    const kinds = needs.credits.map((credit) => credit.kind);
    const references = needs.credits.map((credit) => credit.reference);
    for (const credit of await rows<CreditRow>(manager, CREDITS_SQL, [kinds, references])) {
      const booked = { accountId: credit.account_id, inputHash: credit.input_hash };
      contents.credits.set(creditKey(credit.kind, credit.reference), booked);
    }
  }
  if (needs.topUpIds.length > 0) {
    for (const topUp of await rows<TopUpRow>(manager, TOP_UPS_SQL, [needs.topUpIds])) {
      contents.topUps.set(topUp.id, topUpFrom(topUp));
    }
  }
  return new Page(contents);
}

type LockedBalanceRow = BalanceRow & { low_balance_threshold_micro_aud: string | null };

/** Writes all that was decided on the page: the books in one statement, then the top-ups that caused bookings. */
export async function writePage(manager: EntityManager, page: Page): Promise<void> {
  if (page.transactions.length > 0) await writeBooks(manager, page);
  if (page.changedTopUps.size > 0) await writeTopUps(manager, page);
}

async function writeTopUps(manager: EntityManager, page: Page): Promise<void> {
  const topUps = [...page.changedTopUps.values()].map(toTopUpRow);
  const changed = await rows(manager, CHANGE_TOP_UPS_SQL, [JSON.stringify(topUps)]);
  if (changed.length !== topUps.length) throw new Error('a top-up changed under lock: it was paid already');
}

async function writeBooks(manager: EntityManager, page: Page): Promise<void> {
  if (page.opened.size > 0) {
    await manager.query('INSERT INTO balances (account_id) SELECT unnest($1::uuid[])', [[...page.opened]]);
  }
  const accountIds = new Set(page.transactions.map((transaction) => transaction.accountId));
  const holds = new Map(page.transactions.flatMap(({ hold }) => (hold ? [[hold.jobId, hold]] : [])));
  const written = await row<{ balances: string; holds: string }>(manager, WRITE_SQL, [
    JSON.stringify(page.transactions.map(toTransactionRow)),
    JSON.stringify(page.transactions.flatMap(toPostingRows)),
    JSON.stringify([...accountIds].map((accountId) => toBalanceRow(accountId, page.books(accountId)!))),
    JSON.stringify([...holds.values()].map(toHoldRow)),
    JSON.stringify(toMonthRows(page.transactions)),
  ]);
  if (Number(written?.balances) !== accountIds.size || Number(written?.holds) !== holds.size) {
    throw new Error('the books changed under lock: a balance is gone or a hold was settled twice');
  }
}

const LOCK_BALANCES_SQL = `
  SELECT account_id, available_micro_aud, held_micro_aud, credited_micro_aud, used_micro_aud,
         available_free_seconds, held_free_seconds, credited_free_seconds, used_free_seconds,
         low_balance_threshold_micro_aud
    FROM balances
   WHERE account_id = ANY(ARRAY(SELECT unnest($1::uuid[])
                                UNION SELECT account_id FROM holds WHERE job_id = ANY($2::uuid[])
                                UNION SELECT account_id FROM top_ups WHERE id = ANY($3::uuid[])))
   ORDER BY account_id
     FOR NO KEY UPDATE`;

const HOLDS_SQL = `
  SELECT job_id, account_id, state, option, key_id, price_per_minute_micro_aud, free_seconds, paid_seconds,
         captured_free_seconds, captured_paid_seconds, release_reason
    FROM holds WHERE job_id = ANY($1::uuid[])`;

const CREDITS_SQL = `
  SELECT kind, reference, account_id, encode(input_hash, 'hex') AS input_hash
    FROM transactions
   WHERE (kind, reference) IN (SELECT * FROM unnest($1::text[], $2::text[]))`;

// The lock also stops the one other writer, which stores the session of a top-up that is starting.
const TOP_UPS_SQL = `
  SELECT id, account_id, amount_micro_aud, state, session_id, checkout_url, problem
    FROM top_ups WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE`;

const CHANGE_TOP_UPS_SQL = `
  UPDATE top_ups SET state = t.state, session_id = t.session_id, checkout_url = t.checkout_url, problem = t.problem,
                     paid_at = CASE WHEN t.state = 'paid' THEN statement_timestamp() END
    FROM json_populate_recordset(NULL::top_ups, $1) AS t
   WHERE top_ups.id = t.id AND top_ups.state <> 'paid'
  RETURNING top_ups.id`;

const WRITE_SQL = `
  WITH booked AS (
    INSERT INTO transactions (kind, reference, input_hash, account_id, job_id, reason, booked_at, month,
                              balance_after_micro_aud, free_seconds_after)
    SELECT kind, reference, decode(input_hash, 'hex'), account_id, job_id, reason, statement_timestamp(),
           sydney_month(statement_timestamp()), balance_after_micro_aud, free_seconds_after
      FROM json_to_recordset($1) AS t (position int, kind text, reference text, input_hash text, account_id uuid,
                                       job_id uuid, reason text, balance_after_micro_aud bigint,
                                       free_seconds_after bigint)
     ORDER BY position -- ids rise in the order of the decisions, so the balance after each can be derived
    RETURNING id, kind, reference
  ), posted AS (
    INSERT INTO postings (transaction_id, line, from_book, to_book, unit, amount)
    SELECT id, line, from_book, to_book, unit, amount
      FROM json_to_recordset($2) AS p (kind text, reference text, line smallint, from_book text, to_book text,
                                       unit text, amount bigint)
      JOIN booked USING (kind, reference)
  ), balanced AS (
    UPDATE balances SET
      available_micro_aud = b.available_micro_aud, available_free_seconds = b.available_free_seconds,
      held_micro_aud = b.held_micro_aud, held_free_seconds = b.held_free_seconds,
      credited_micro_aud = b.credited_micro_aud, credited_free_seconds = b.credited_free_seconds,
      used_micro_aud = b.used_micro_aud, used_free_seconds = b.used_free_seconds
      FROM json_populate_recordset(NULL::balances, $3) AS b
     WHERE balances.account_id = b.account_id
    RETURNING 1
  ), held AS (
    INSERT INTO holds (job_id, account_id, state, option, key_id, price_per_minute_micro_aud, free_seconds,
                       paid_seconds, held_micro_aud, captured_free_seconds, captured_paid_seconds, charged_micro_aud, captured_at,
                       release_reason, released_at, placed_at)
    SELECT job_id, account_id, state, option, key_id, price_per_minute_micro_aud, free_seconds, paid_seconds,
           held_micro_aud, captured_free_seconds, captured_paid_seconds, charged_micro_aud,
           CASE WHEN state = 'captured' THEN statement_timestamp() END,
           release_reason, CASE WHEN state = 'released' THEN statement_timestamp() END, statement_timestamp()
      FROM json_populate_recordset(NULL::holds, $4)
    ON CONFLICT (job_id) DO UPDATE SET
      state = excluded.state, free_seconds = excluded.free_seconds, paid_seconds = excluded.paid_seconds,
      held_micro_aud = excluded.held_micro_aud, captured_free_seconds = excluded.captured_free_seconds,
      captured_paid_seconds = excluded.captured_paid_seconds, charged_micro_aud = excluded.charged_micro_aud,
      captured_at = excluded.captured_at, release_reason = excluded.release_reason,
      released_at = excluded.released_at
     WHERE holds.state = 'pending'
    RETURNING 1
  ), totalled AS (
    INSERT INTO monthly_totals AS m (account_id, month, captured_seconds, jobs, used_micro_aud, used_free_seconds,
                                     topped_up_micro_aud, gst_cents, adjusted_micro_aud, granted_free_seconds)
    SELECT account_id, sydney_month(statement_timestamp()), captured_seconds, jobs, used_micro_aud, used_free_seconds,
           topped_up_micro_aud, gst_cents, adjusted_micro_aud, granted_free_seconds
      FROM json_populate_recordset(NULL::monthly_totals, $5)
    ON CONFLICT (account_id, month) DO UPDATE SET
      captured_seconds = m.captured_seconds + excluded.captured_seconds, jobs = m.jobs + excluded.jobs,
      used_micro_aud = m.used_micro_aud + excluded.used_micro_aud,
      used_free_seconds = m.used_free_seconds + excluded.used_free_seconds,
      topped_up_micro_aud = m.topped_up_micro_aud + excluded.topped_up_micro_aud,
      gst_cents = m.gst_cents + excluded.gst_cents,
      adjusted_micro_aud = m.adjusted_micro_aud + excluded.adjusted_micro_aud,
      granted_free_seconds = m.granted_free_seconds + excluded.granted_free_seconds
  )
  SELECT (SELECT count(*) FROM balanced) AS balances, (SELECT count(*) FROM held) AS holds`;
