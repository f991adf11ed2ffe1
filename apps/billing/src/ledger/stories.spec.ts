import type { Result } from '@currawong/contracts';
import { afterPostings, type CustomerBooks, EMPTY_BOOKS, type Posting } from './books';
import { creditPostings, openingPostings } from './credit';
import { captureHold, emptyHold, type Hold, type HoldStep, placeHold, raiseHold, releaseHold } from './holds';

const ACCEPTANCE = { option: 'transcription', keyId: null } as const;

// Each story is a page of one account's books, told by the steps on the left. Money is in micro-AUD (20000 is a
// minute's price), "free" is free seconds, times are seconds. The least balance is AUD 0.50. A step that is refused
// says so and leaves every number as it was.
const STORIES: [guarantee: string, story: string][] = [
  [
    'a new account has its free seconds and no money',
    `
    step               | available |    held |   used | free | free held | free used
    open 5400          |         0 |       0 |      0 | 5400 |         0 |         0
    `,
  ],
  [
    'free seconds pay for as long as there are any, and no least balance applies to them',
    `
    step               | available |    held |   used | free | free held | free used
    open 5400          |         0 |       0 |      0 | 5400 |         0 |         0
    hold A 600         |         0 |       0 |      0 | 4800 |       600 |         0
    capture A 595      |         0 |       0 |      0 | 4805 |         0 |       595
    `,
  ],
  [
    'the last free seconds go first and money pays for the rest',
    `
    step               | available |    held |   used | free | free held | free used
    open 60            |         0 |       0 |      0 |   60 |         0 |         0
    top_up 100000      |    100000 |       0 |      0 |   60 |         0 |         0
    hold A 90          |     90000 |   10000 |      0 |    0 |        60 |         0
    capture A 75       |     95000 |       0 |   5000 |    0 |         0 |        60
    `,
  ],
  [
    'a recording shorter than its hold gets the paid seconds back before the free ones',
    `
    step               | available |    held |   used | free | free held | free used
    open 60            |         0 |       0 |      0 |   60 |         0 |         0
    top_up 600000      |    600000 |       0 |      0 |   60 |         0 |         0
    hold A 120         |    580000 |   20000 |      0 |    0 |        60 |         0
    capture A 45       |    600000 |       0 |      0 |   15 |         0 |        45
    `,
  ],
  [
    'a released job costs nothing',
    `
    step               | available |    held |   used | free | free held | free used
    open 30            |         0 |       0 |      0 |   30 |         0 |         0
    adjustment 1000000 |   1000000 |       0 |      0 |   30 |         0 |         0
    hold A 1830        |    400000 |  600000 |      0 |    0 |        30 |         0
    release A          |   1000000 |       0 |      0 |   30 |         0 |         0
    `,
  ],
  [
    'below the least balance nothing is held, at it a recording is',
    `
    step               | available |    held |   used | free | free held | free used
    top_up 499999      |    499999 |       0 |      0 |    0 |         0 |         0
    hold A 60          |    499999 |       0 |      0 |    0 |         0 |         0 | insufficient_credit
    top_up 1           |    500000 |       0 |      0 |    0 |         0 |         0
    hold A 60          |    480000 |   20000 |      0 |    0 |         0 |         0
    hold B 60          |    480000 |   20000 |      0 |    0 |         0 |         0 | insufficient_credit
    `,
  ],
  [
    'a recording may cost all that there is, and not a micro-AUD more',
    `
    step               | available |    held |   used | free | free held | free used
    top_up 600000      |    600000 |       0 |      0 |    0 |         0 |         0
    hold A 1801        |    600000 |       0 |      0 |    0 |         0 |         0 | insufficient_credit
    hold A 1800        |         0 |  600000 |      0 |    0 |         0 |         0
    capture A 1800     |         0 |       0 | 600000 |    0 |         0 |         0
    `,
  ],
  [
    'a charge is rounded once, half up: 1 s is 333.3 and 2 s are 666.7 micro-AUD',
    `
    step               | available |    held |   used | free | free held | free used
    top_up 600000      |    600000 |       0 |      0 |    0 |         0 |         0
    hold A 1           |    599667 |     333 |      0 |    0 |         0 |         0
    hold B 2           |    599000 |    1000 |      0 |    0 |         0 |         0
    capture A 1        |    599000 |     667 |    333 |    0 |         0 |         0
    capture B 2        |    599000 |       0 |   1000 |    0 |         0 |         0
    `,
  ],
  [
    'exactly half a micro-AUD is charged as a whole one: 3 s at 10 micro-AUD a minute',
    `
    step               | available |    held |   used | free | free held | free used
    top_up 500000      |    500000 |       0 |      0 |    0 |         0 |         0
    price 10           |    500000 |       0 |      0 |    0 |         0 |         0
    hold A 60          |    499990 |      10 |      0 |    0 |         0 |         0
    capture A 3        |    499999 |       0 |      1 |    0 |         0 |         0
    `,
  ],
  [
    'asking again holds no more, asking for more raises the same hold',
    `
    step               | available |    held |   used | free | free held | free used
    open 10            |         0 |       0 |      0 |   10 |         0 |         0
    top_up 600000      |    600000 |       0 |      0 |   10 |         0 |         0
    hold A 11          |    599667 |     333 |      0 |    0 |        10 |         0
    hold A 11          |    599667 |     333 |      0 |    0 |        10 |         0
    hold A 5           |    599667 |     333 |      0 |    0 |        10 |         0
    hold A 12          |    599333 |     667 |      0 |    0 |        10 |         0
    hold A 99999       |    599333 |     667 |      0 |    0 |        10 |         0 | insufficient_credit
    `,
  ],
  [
    'a hold of the last money can still be raised, for the least balance is asked of new holds only',
    `
    step               | available |    held |   used | free | free held | free used
    top_up 500000      |    500000 |       0 |      0 |    0 |         0 |         0
    hold A 1200        |    100000 |  400000 |      0 |    0 |         0 |         0
    hold A 1500        |         0 |  500000 |      0 |    0 |         0 |         0
    `,
  ],
  [
    'a recording longer than its hold takes the difference from what is there, free seconds first',
    `
    step               | available |    held |   used | free | free held | free used
    open 100           |         0 |       0 |      0 |  100 |         0 |         0
    top_up 500000      |    500000 |       0 |      0 |  100 |         0 |         0
    hold A 40          |    500000 |       0 |      0 |   60 |        40 |         0
    capture A 160      |    480000 |       0 |  20000 |    0 |         0 |       100
    `,
  ],
  [
    'a recording longer than its hold and the account is refused whole, and the hold stays',
    `
    step               | available |    held |   used | free | free held | free used
    open 10            |         0 |       0 |      0 |   10 |         0 |         0
    top_up 20000       |     20000 |       0 |      0 |   10 |         0 |         0
    hold A 70          |         0 |   20000 |      0 |    0 |        10 |         0
    capture A 72       |         0 |   20000 |      0 |    0 |        10 |         0 | insufficient_credit
    capture A 70       |         0 |       0 |  20000 |    0 |         0 |        10
    `,
  ],
  [
    'silence of no length is free of charge',
    `
    step               | available |    held |   used | free | free held | free used
    top_up 500000      |    500000 |       0 |      0 |    0 |         0 |         0
    hold A 60          |    480000 |   20000 |      0 |    0 |         0 |         0
    capture A 0        |    500000 |       0 |      0 |    0 |         0 |         0
    `,
  ],
  [
    'a job keeps the price it was accepted at',
    `
    step               | available |    held |   used | free | free held | free used
    top_up 1000000     |   1000000 |       0 |      0 |    0 |         0 |         0
    hold A 60          |    980000 |   20000 |      0 |    0 |         0 |         0
    price 30000        |    980000 |   20000 |      0 |    0 |         0 |         0
    hold A 120         |    960000 |   40000 |      0 |    0 |         0 |         0
    hold B 60          |    930000 |   70000 |      0 |    0 |         0 |         0
    capture A 180      |    910000 |   30000 |  60000 |    0 |         0 |         0
    `,
  ],
  [
    'a settled hold cannot be raised',
    `
    step               | available |    held |   used | free | free held | free used
    top_up 500000      |    500000 |       0 |      0 |    0 |         0 |         0
    hold A 60          |    480000 |   20000 |      0 |    0 |         0 |         0
    release A          |    500000 |       0 |      0 |    0 |         0 |         0
    hold A 60          |    500000 |       0 |      0 |    0 |         0 |         0 | conflict
    `,
  ],
  [
    'a release that comes before its hold keeps the hold from being placed',
    `
    step               | available |    held |   used | free | free held | free used
    top_up 500000      |    500000 |       0 |      0 |    0 |         0 |         0
    release A          |    500000 |       0 |      0 |    0 |         0 |         0
    hold A 60          |    500000 |       0 |      0 |    0 |         0 |         0 | conflict
    hold B 60          |    480000 |   20000 |      0 |    0 |         0 |         0
    `,
  ],
];

test.each(STORIES)('%s', (_guarantee, story) => {
  const [heading, ...lines] = story
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const account = new StoryAccount();
  const told = lines.map((line) => account.tell(line.split('|')[0]!.trim()));
  expect([heading, ...told]).toEqual([heading, ...lines]);
});

/** Takes the steps of a story and writes the books after each as the story does. */
class StoryAccount {
  private books: CustomerBooks = EMPTY_BOOKS;
  private readonly holds = new Map<string, Hold>();
  private price = 20_000n;

  tell(step: string): string {
    const [verb, ...words] = step.split(' ');
    const refusal = this.take(verb!, words);
    const { available, held, used } = this.books;
    const columns = [
      step.padEnd(18),
      String(available.microAud).padStart(9),
      String(held.microAud).padStart(7),
      String(used.microAud).padStart(6),
      String(available.freeSeconds).padStart(4),
      String(held.freeSeconds).padStart(9),
      String(used.freeSeconds).padStart(9),
    ];
    return [...columns, ...(refusal ? [refusal] : [])].join(' | ');
  }

  private take(verb: string, [first, second]: string[]): string | undefined {
    switch (verb) {
      case 'open':
        return this.book(openingPostings(BigInt(first!)));
      case 'top_up':
      case 'adjustment':
        return this.book(creditPostings(verb, BigInt(first!)));
      case 'price':
        this.price = BigInt(first!);
        return undefined;
      case 'hold':
        return this.step(this.hold(first!, BigInt(second!)));
      case 'capture':
        return this.step(captureHold(this.books, this.pending(first!), BigInt(second!)));
      case 'release':
        return this.step({ ok: true, value: releaseHold(this.placed(first!), 'cancelled') });
      default:
        throw new Error(`no such step: ${verb}`);
    }
  }

  private hold(jobId: string, seconds: bigint): Result<HoldStep> {
    const before = this.holds.get(jobId);
    if (before) return raiseHold(this.books, before, seconds);
    return placeHold(this.books, { accountId: 'one', jobId, seconds, ...ACCEPTANCE }, this.terms());
  }

  private placed(jobId: string) {
    return this.holds.has(jobId)
      ? this.pending(jobId)
      : emptyHold({ accountId: 'one', jobId }, this.terms(), ACCEPTANCE);
  }

  private terms() {
    return { pricePerMinuteMicroAud: this.price, minimumBalanceMicroAud: 500_000n };
  }

  private pending(jobId: string) {
    const hold = this.holds.get(jobId);
    if (hold?.state !== 'pending') throw new Error(`the story settles ${jobId}, which is not held`);
    return hold;
  }

  private step(step: Result<HoldStep>): string | undefined {
    if (!step.ok) return step.refusal.code;
    this.holds.set(step.value.hold.jobId, step.value.hold);
    return this.book(step.value.postings);
  }

  private book(postings: Posting[]): undefined {
    this.books = afterPostings(this.books, postings);
  }
}
