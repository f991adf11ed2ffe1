import { randomUUID } from 'node:crypto';
import { type FreshDatabase, freshDatabase } from '@currawong/testing';
import fc from 'fast-check';
import { TestBooks } from '../test-books';

let fresh: FreshDatabase;
let books: TestBooks;
beforeAll(async () => {
  fresh = await freshDatabase();
  books = await TestBooks.open(fresh.url);
});
afterAll(async () => {
  await books?.close();
  await fresh?.drop();
});

const MONTHS = ['2025-03', '2025-04', '2025-09', '2025-10', '2025-11'] as const;
/** Just before and at the ends of months, where it matters to the hour which month a booking belongs to. */
const MOMENTS = [
  '2025-03-31T12:59:59.999999Z',
  '2025-03-31T13:00:00Z',
  '2025-09-30T13:59:59.999999Z',
  '2025-09-30T14:00:00Z',
  '2025-10-31T12:59:59.999999Z',
  '2025-10-31T13:00:00Z',
] as const;

const seconds = fc.nat({ max: 4_000 });
const job = fc.nat({ max: 5 });
const step = fc.oneof(
  fc.record({
    kind: fc.constant('credit' as const),
    amount: fc.integer({ min: 1, max: 3_000_000 }),
    isTopUp: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('hold' as const), job, seconds, isAnalysis: fc.boolean() }),
  fc.record({ kind: fc.constant('capture' as const), job, seconds }),
  fc.record({ kind: fc.constant('release' as const), job }),
);
const history = fc.record({
  freeSeconds: fc.nat({ max: 3_000 }),
  // What happens at each of the moments, and what has happened since.
  chapters: fc.array(fc.array(step, { maxLength: 8 }), {
    minLength: MOMENTS.length + 1,
    maxLength: MOMENTS.length + 1,
  }),
  pageSize: fc.integer({ min: 1, max: 7 }),
});

test('whatever happens and when, each month begins with what the last one left and ends with what its lines add up to', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ freeSeconds, chapters, pageSize }) => {
      const account = await books.account({ freeSeconds });
      const jobs = Array.from({ length: 6 }, () => randomUUID());
      for (const [index, chapter] of chapters.entries()) {
        for (const taken of chapter) await take(account, jobs, taken);
        const moment = MOMENTS[index];
        if (moment !== undefined) await books.moveTo(moment);
      }
      expect(await books.problems()).toEqual([]);

      const current = await books.thisMonth();
      let [balance, free] = [0n, 0];
      for (const month of [...MONTHS, current]) {
        const statement = await books.statement(account, month, pageSize);
        expect(micro(statement.opening_balance_aud)).toBe(balance);
        expect(statement.opening_free_seconds).toBe(free);
        for (const line of statement.lines) {
          balance += micro(line.amount_aud);
          free += line.free_seconds;
          expect([micro(line.balance_after_aud), line.free_seconds_after]).toEqual([balance, free]);
        }
        expect(micro(statement.closing_balance_aud)).toBe(balance);
        expect(statement.closing_free_seconds).toBe(free);
        expect(statement.totals).toEqual(totalsOf(statement.lines));
      }
      const now = await books.statement(account, current, pageSize);
      const { available_micro_aud } = await books.summary(account);
      expect(balance - micro(now.held_aud!)).toBe(BigInt(available_micro_aud));
    }),
    { numRuns: 25 },
  );
}, 240_000);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Refusals are part of every history. */
async function take(account_id: string, jobs: string[], taken: Step): Promise<void> {
  switch (taken.kind) {
    case 'credit': {
      const kind = taken.isTopUp ? 'top_up' : 'adjustment';
      const named = { reason: 'test', reference: randomUUID() };
      await books.credit.add({ account_id, kind, amount_micro_aud: taken.amount, ...named });
      return;
    }
    case 'hold': {
      const option = taken.isAnalysis ? 'analysis' : 'transcription';
      await books.holds.hold({ account_id, job_id: jobs[taken.job]!, seconds: taken.seconds, option });
      return;
    }
    case 'capture':
      await books.holds.capture({ job_id: jobs[taken.job]!, seconds: taken.seconds });
      return;
    case 'release':
      await books.holds.release({ account_id, job_id: jobs[taken.job]!, reason: 'test' });
  }
}

type Lines = Awaited<ReturnType<TestBooks['statement']>>['lines'];

function totalsOf(lines: Lines) {
  const sum = (kind: string) =>
    lines
      .filter((line) => line.kind === kind)
      .reduce((total, { amount_aud }) => total + micro(amount_aud), 0n);
  const gstCents = lines.reduce(
    (total, { gst_aud }) => total + BigInt((gst_aud ?? '0').replace('.', '')),
    0n,
  );
  const done = lines.filter(({ kind }) => kind === 'job');
  return {
    topped_up_aud: aud(sum('top_up'), 6),
    gst_included_aud: aud(gstCents, 2),
    adjusted_aud: aud(sum('adjustment'), 6),
    used_aud: aud(-sum('job'), 6),
    audio_seconds: done.reduce((total, { audio_seconds }) => total + audio_seconds!, 0),
    jobs: done.length,
  };
}

function micro(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

function aud(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
