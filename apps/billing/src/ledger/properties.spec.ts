import fc from 'fast-check';
import { priceMicroAud } from './amounts';
import { afterPostings, type Book, type CustomerBooks, EMPTY_BOOKS, type Posting, type Unit } from './books';
import { creditPostings, openingPostings } from './credit';
import {
  captureHold,
  chargedAmounts,
  emptyHold,
  heldAmounts,
  type Hold,
  placeHold,
  raiseHold,
  releaseHold,
  secondsOf,
} from './holds';

const JOBS = ['A', 'B', 'C', 'D'] as const;
const seconds = fc.bigInt({ min: 0n, max: 40_000n });
const TERMS = { pricePerMinuteMicroAud: 20_000n, minimumBalanceMicroAud: 500_000n };
const ACCEPTANCE = { option: 'transcription', keyId: null } as const;
const job = fc.constantFrom(...JOBS);

type Step =
  | { kind: 'top_up' | 'adjustment'; amount: bigint }
  | { kind: 'hold'; job: string; seconds: bigint; price: bigint }
  | { kind: 'capture'; job: string; seconds: bigint }
  | { kind: 'release'; job: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('top_up' as const, 'adjustment' as const),
    amount: fc.bigInt({ min: 1n, max: 3_000_000n }),
  }),
  fc.record({
    kind: fc.constant('hold' as const),
    job,
    seconds,
    price: fc.bigInt({ min: 0n, max: 90_001n }),
  }),
  fc.record({ kind: fc.constant('capture' as const), job, seconds }),
  fc.record({ kind: fc.constant('release' as const), job }),
);

/** Everything that one random history booked. */
class History {
  books: CustomerBooks = EMPTY_BOOKS;
  readonly holds = new Map<string, Hold>();
  readonly postings: { job?: string; posting: Posting }[] = [];

  constructor(freeSeconds: bigint) {
    this.book(openingPostings(freeSeconds));
  }

  take(taken: Step): void {
    if ('amount' in taken) return this.book(creditPostings(taken.kind, taken.amount));
    const before = this.holds.get(taken.job);
    if (taken.kind === 'hold') {
      const terms = { ...TERMS, pricePerMinuteMicroAud: taken.price };
      const request = { accountId: 'one', jobId: taken.job, seconds: taken.seconds, ...ACCEPTANCE };
      const result = before
        ? raiseHold(this.books, before, taken.seconds)
        : placeHold(this.books, request, terms);
      if (result.ok) this.settle(result.value);
    } else if (taken.kind === 'release') {
      const placed = before ?? emptyHold({ accountId: 'one', jobId: taken.job }, TERMS, ACCEPTANCE);
      if (placed.state === 'pending') this.settle(releaseHold(placed, 'cancelled'));
    } else if (before?.state === 'pending') {
      const result = captureHold(this.books, before, taken.seconds);
      if (result.ok) this.settle(result.value);
    }
  }

  sum(unit: Unit, of: (side: { book: Book; job?: string | undefined }) => boolean): bigint {
    return this.postings
      .filter(({ posting }) => posting.unit === unit)
      .flatMap(({ posting, job }) => [
        { book: posting.from, job, amount: -posting.amount },
        { book: posting.to, job, amount: posting.amount },
      ])
      .filter(of)
      .reduce((sum, { amount }) => sum + amount, 0n);
  }

  private settle({ hold, postings }: { hold: Hold; postings: Posting[] }): void {
    this.holds.set(hold.jobId, hold);
    this.book(postings, hold.jobId);
  }

  private book(postings: Posting[], job?: string): void {
    // Throws where any book is below zero at any line, which would fail the property.
    this.books = afterPostings(this.books, postings);
    this.postings.push(...postings.map((posting) => ({ posting, ...(job === undefined ? {} : { job }) })));
  }
}

const history = fc
  .tuple(fc.bigInt({ min: 0n, max: 6_000n }), fc.array(step, { maxLength: 40 }))
  .map(([freeSeconds, steps]) => {
    const told = new History(freeSeconds);
    for (const taken of steps) told.take(taken);
    return told;
  });
const always = { numRuns: 2_000 };

test('whatever happens, all entries sum to zero and every book is the sum of its entries', () => {
  fc.assert(
    fc.property(history, (told) => {
      for (const [unit, key] of [
        ['micro_aud', 'microAud'],
        ['free_second', 'freeSeconds'],
      ] as const) {
        const { available, held, credited, used } = told.books;
        expect(told.sum(unit, () => true)).toBe(0n);
        expect(told.sum(unit, ({ book }) => book === 'available')).toBe(available[key]);
        expect(told.sum(unit, ({ book }) => book === 'held')).toBe(held[key]);
        expect(told.sum(unit, ({ book }) => book === 'revenue' || book === 'free_used')).toBe(used[key]);
        expect(credited[key]).toBe(available[key] + held[key] + used[key]);
      }
    }),
    always,
  );
});

test('whatever happens, what is held is the sum of the open holds', () => {
  fc.assert(
    fc.property(history, (told) => {
      const open = [...told.holds.values()].filter((hold) => hold.state === 'pending').map(heldAmounts);
      expect(told.books.held).toEqual({
        microAud: open.reduce((sum, { microAud }) => sum + microAud, 0n),
        freeSeconds: open.reduce((sum, { freeSeconds }) => sum + freeSeconds, 0n),
      });
    }),
    always,
  );
});

test('whatever happens, a captured job was charged its seconds at its price once, any other nothing', () => {
  fc.assert(
    fc.property(history, (told) => {
      for (const [jobId, hold] of told.holds) {
        const charged = (unit: Unit) =>
          told.sum(unit, ({ book, job }) => job === jobId && (book === 'revenue' || book === 'free_used'));
        const held = (unit: Unit) => told.sum(unit, ({ book, job }) => job === jobId && book === 'held');
        if (hold.state === 'captured') {
          const { freeSeconds, paidSeconds } = hold.captured;
          expect(charged('free_second')).toBe(freeSeconds);
          expect(charged('micro_aud')).toBe(priceMicroAud(paidSeconds, hold.pricePerMinuteMicroAud));
          expect(charged('micro_aud')).toBe(chargedAmounts(hold).microAud);
          expect(secondsOf(hold.captured)).toBeLessThanOrEqual(secondsOf(hold));
        } else {
          expect([charged('free_second'), charged('micro_aud')]).toEqual([0n, 0n]);
        }
        if (hold.state !== 'pending') expect([held('free_second'), held('micro_aud')]).toEqual([0n, 0n]);
      }
    }),
    always,
  );
});

test('a price is never more than half a micro-AUD from the exact one, and half goes up', () => {
  fc.assert(
    fc.property(seconds, fc.bigInt({ min: 0n, max: 1_000_000n }), (length, pricePerMinute) => {
      const sixtiethsOff = priceMicroAud(length, pricePerMinute) * 60n - length * pricePerMinute;
      expect(sixtiethsOff > -30n && sixtiethsOff <= 30n).toBe(true);
    }),
    always,
  );
});
