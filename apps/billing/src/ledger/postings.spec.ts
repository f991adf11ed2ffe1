import type { Result } from '@currawong/contracts';
import { afterPostings, type CustomerBooks, EMPTY_BOOKS, LedgerBroken, type Posting } from './books';
import { creditPostings, openingPostings } from './credit';
import { captureHold, type HoldStep, type PendingHold, placeHold, raiseHold, releaseHold } from './holds';

// The books before each movement: AUD 1 and 100 free seconds available; job A holds 60 free and 60 paid seconds.
const hold: PendingHold = {
  state: 'pending',
  jobId: 'A',
  accountId: 'one',
  option: 'transcription',
  keyId: null,
  pricePerMinuteMicroAud: 20_000n,
  freeSeconds: 60n,
  paidSeconds: 60n,
};
const books: CustomerBooks = {
  available: { microAud: 1_000_000n, freeSeconds: 100n },
  held: { microAud: 20_000n, freeSeconds: 60n },
  credited: { microAud: 1_020_000n, freeSeconds: 160n },
  used: { microAud: 0n, freeSeconds: 0n },
};
const asked = { accountId: 'one', jobId: 'B', option: 'transcription', keyId: null } as const;
const terms = { pricePerMinuteMicroAud: 20_000n, minimumBalanceMicroAud: 500_000n };

const MOVEMENTS: [what: string, postings: () => Posting[], lines: string][] = [
  ['opening an account', () => openingPostings(5_400n), `free_granted -> available        5400 free_second`],
  ['opening an account without a gift', () => openingPostings(0n), ``],
  ['a top-up', () => creditPostings('top_up', 5_000_000n), `top_ups -> available     5000000 micro_aud`],
  ['an adjustment', () => creditPostings('adjustment', 1n), `adjustments -> available 1 micro_aud`],
  [
    'a hold that free seconds cover',
    () => taken(placeHold(books, { ...asked, seconds: 100n }, terms)),
    `available -> held 100 free_second`,
  ],
  [
    'a hold that needs money as well',
    () => taken(placeHold(books, { ...asked, seconds: 130n }, terms)),
    `available -> held 100 free_second
     available -> held 10000 micro_aud`,
  ],
  [
    'raising a hold',
    () => taken(raiseHold(books, hold, 250n)),
    `available -> held 100 free_second
     available -> held 10000 micro_aud`,
  ],
  ['raising a hold to less', () => taken(raiseHold(books, hold, 119n)), ``],
  [
    'a capture of exactly the hold',
    () => taken(captureHold(books, hold, 120n)),
    `held -> free_used 60 free_second
     held -> revenue   20000 micro_aud`,
  ],
  [
    'a capture of less',
    () => taken(captureHold(books, hold, 50n)),
    `held -> free_used 50 free_second
     held -> available 10 free_second
     held -> available 20000 micro_aud`,
  ],
  [
    'a capture of more',
    () => taken(captureHold(books, hold, 223n)),
    `available -> held 100 free_second
     available -> held 1000 micro_aud
     held -> free_used 160 free_second
     held -> revenue   21000 micro_aud`,
  ],
  [
    'a release',
    () => releaseHold(hold, 'cancelled').postings,
    `held -> available 60 free_second
     held -> available 20000 micro_aud`,
  ],
];

test.each(MOVEMENTS)('%s is booked as its lines say', (_what, postings, lines) => {
  const written = postings().map(({ from, to, unit, amount }) => `${from} -> ${to} ${amount} ${unit}`);
  const expected = lines.split('\n').map((line) => line.trim().replace(/ +/g, ' '));
  expect(written.join('\n')).toBe(expected.join('\n'));
});

test('a posting that would leave a book below zero is a defect, not a balance', () => {
  const tooMuch: Posting = { from: 'held', to: 'revenue', unit: 'micro_aud', amount: 20_001n };
  expect(() => afterPostings(books, [tooMuch])).toThrow(LedgerBroken);
  expect(() => afterPostings(EMPTY_BOOKS, releaseHold(hold, 'twice').postings)).toThrow(LedgerBroken);
});

describe('what a refused customer reads', () => {
  const poor = { ...books, available: { microAud: 123_456n, freeSeconds: 0n } };
  const texts: [what: string, refused: () => Result<unknown>, text: string][] = [
    [
      'below the least balance',
      () => placeHold(poor, { ...asked, seconds: 60n }, terms),
      'Your available balance is AUD 0.12 and no free minutes are left. At least AUD 0.50 is needed to submit a ' +
        'recording. Top up AUD 0.38 or more, then send the recording again.',
    ],
    [
      'a recording that costs more than is there',
      () => placeHold(books, { ...asked, seconds: 7_201n }, terms),
      'This recording of 120.1 minutes needs AUD 2.37 beyond your 1.6 free minutes, and AUD 1.00 is available. ' +
        'Top up AUD 1.37 or more, then send the recording again.',
    ],
    [
      'a recording that turned out longer than what was set aside',
      () => captureHold(poor, hold, 600n),
      'The recording turned out to be 10.0 minutes long, more than the 2.0 minutes that were set aside. ' +
        'The rest costs AUD 0.16 and AUD 0.12 is available. ' +
        'Top up AUD 0.04 or more, then send the recording again.',
    ],
  ];
  test.each(texts)('%s', (_what, refused, text) => {
    expect(refused()).toEqual({ ok: false, refusal: { code: 'insufficient_credit', detail: text } });
  });
});

function taken(step: Result<HoldStep>): Posting[] {
  if (!step.ok) throw new Error(step.refusal.detail);
  return step.value.postings;
}
