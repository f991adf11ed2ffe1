import { type EntityManager, row, rows } from '@currawong/database';
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
  toUsageRows,
} from './records';

/** Reads what the decisions need and locks the accounts, always in the same order, so that two pages never deadlock. */
export async function openPage(manager: EntityManager, needs: Required<Needs>): Promise<Page> {
  const contents: PageContents = { books: new Map(), holds: new Map(), credits: new Map() };
  const balances = await rows<BalanceRow>(manager, LOCK_BALANCES_SQL, [needs.accountIds, needs.jobIds]);
  for (const balance of balances) contents.books.set(balance.account_id, booksFrom(balance));
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
  return new Page(contents);
}

/** Writes all that was decided on the page, in one statement. */
export async function writePage(manager: EntityManager, page: Page): Promise<void> {
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
    JSON.stringify(toUsageRows([...holds.values()])),
  ]);
  if (Number(written?.balances) !== accountIds.size || Number(written?.holds) !== holds.size) {
    throw new Error('the books changed under lock: a balance is gone or a hold was settled twice');
  }
}

const LOCK_BALANCES_SQL = `
  SELECT account_id, available_micro_aud, held_micro_aud, credited_micro_aud, used_micro_aud,
         available_free_seconds, held_free_seconds, credited_free_seconds, used_free_seconds
    FROM balances
   WHERE account_id = ANY(ARRAY(SELECT unnest($1::uuid[])
                                UNION SELECT account_id FROM holds WHERE job_id = ANY($2::uuid[])))
   ORDER BY account_id
     FOR NO KEY UPDATE`;

const HOLDS_SQL = `
  SELECT job_id, account_id, state, price_per_minute_micro_aud, free_seconds, paid_seconds,
         captured_free_seconds, captured_paid_seconds, release_reason
    FROM holds WHERE job_id = ANY($1::uuid[])`;

const CREDITS_SQL = `
  SELECT kind, reference, account_id, encode(input_hash, 'hex') AS input_hash
    FROM transactions
   WHERE (kind, reference) IN (SELECT * FROM unnest($1::text[], $2::text[]))`;

const WRITE_SQL = `
  WITH booked AS (
    INSERT INTO transactions (kind, reference, input_hash, account_id, job_id, reason, booked_at)
    SELECT kind, reference, decode(input_hash, 'hex'), account_id, job_id, reason, statement_timestamp()
      FROM json_to_recordset($1) AS t (position int, kind text, reference text, input_hash text, account_id uuid,
                                       job_id uuid, reason text)
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
    INSERT INTO holds (job_id, account_id, state, price_per_minute_micro_aud, free_seconds, paid_seconds,
                       held_micro_aud, captured_free_seconds, captured_paid_seconds, charged_micro_aud, captured_at,
                       release_reason, released_at, placed_at)
    SELECT job_id, account_id, state, price_per_minute_micro_aud, free_seconds, paid_seconds,
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
  ), used AS (
    INSERT INTO monthly_usage (account_id, month, captured_seconds)
    SELECT account_id, sydney_month(statement_timestamp()), captured_seconds
      FROM json_populate_recordset(NULL::monthly_usage, $5)
    ON CONFLICT (account_id, month) DO UPDATE
       SET captured_seconds = monthly_usage.captured_seconds + excluded.captured_seconds
  )
  SELECT (SELECT count(*) FROM balanced) AS balances, (SELECT count(*) FROM held) AS holds`;
