import { randomUUID } from 'node:crypto';
import { type FreshDatabase, freshDatabase } from '@currawong/testing';
import { accepted, refusal, TestBooks } from '../test-books';
import { Supplier } from './supplier';

const ALL_BUT_DATE = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

let fresh: FreshDatabase;
let books: TestBooks;
beforeAll(async () => {
  fresh = await freshDatabase();
  books = await TestBooks.open(fresh.url);
});
afterEach(async () => expect(await books.problems()).toEqual([]));
afterAll(async () => {
  await books?.close();
  await fresh?.drop();
});

const credit = async (account_id: string, kind: 'top_up' | 'adjustment', amount_micro_aud: number) =>
  accepted(
    await books.credit.add({ account_id, kind, amount_micro_aud, reason: 'test', reference: randomUUID() }),
  );

async function job(account_id: string, held: number, captured: number, wishes = {}): Promise<string> {
  const job_id = randomUUID();
  accepted(await books.holds.hold({ account_id, job_id, seconds: held, ...wishes }));
  accepted(await books.holds.capture({ job_id, seconds: captured }));
  return job_id;
}

test('a statement tells every movement in the order of booking, and holds are none', async () => {
  const account = await books.account({ freeSeconds: 60 });
  await credit(account, 'top_up', 25_000_000);
  await credit(account, 'adjustment', 1_000_000);
  const key_id = randomUUID();
  const done = await job(account, 120, 90, { key_id });
  const analysed = await job(account, 60, 60, { option: 'analysis' });
  const lost = randomUUID();
  accepted(await books.holds.hold({ account_id: account, job_id: lost, seconds: 600 }));
  accepted(await books.holds.hold({ account_id: account, job_id: lost, seconds: 900 }));
  accepted(await books.holds.release({ account_id: account, job_id: lost, reason: 'undecodable' }));
  accepted(await books.holds.release({ account_id: account, job_id: randomUUID(), reason: 'never held' }));

  const statement = await books.statement(account, await books.thisMonth());
  const table = statement.lines.map((line) =>
    [line.kind, line.amount_aud, line.free_seconds, line.balance_after_aud, line.free_seconds_after].join(
      ' ',
    ),
  );
  expect(table).toEqual([
    'free_minutes 0.000000 60 0.000000 60',
    'top_up 25.000000 0 25.000000 60',
    'adjustment 1.000000 0 26.000000 60',
    'job -0.010000 -60 25.990000 0',
    'job -0.030000 0 25.960000 0',
    'release 0.000000 0 25.960000 0',
  ]);
  expect(
    statement.lines
      .slice(3)
      .map(({ job_id, key_id, audio_seconds, price_per_minute_aud }) => [
        job_id,
        key_id,
        audio_seconds,
        price_per_minute_aud,
      ]),
  ).toEqual([
    [done, key_id, 90, '0.020000'],
    [analysed, null, 60, '0.030000'],
    [lost, null, null, null],
  ]);
  expect(statement.lines[5]!.description).toContain('AUD 0.30');
  expect(statement).toMatchObject({
    opening_balance_aud: '0.000000',
    closing_balance_aud: '25.960000',
    opening_free_seconds: 0,
    closing_free_seconds: 0,
    held_aud: '0.000000',
    totals: {
      topped_up_aud: '25.000000',
      gst_included_aud: '2.27',
      adjusted_aud: '1.000000',
      used_aud: '0.040000',
      audio_seconds: 150,
      jobs: 2,
    },
  });
});

test('of the current month, the closing balance less what is held is what can be spent', async () => {
  const account = await books.account({ microAud: 10_000_000, freeSeconds: 30 });
  accepted(await books.holds.hold({ account_id: account, job_id: randomUUID(), seconds: 630 }));
  const statement = await books.statement(account, await books.thisMonth());
  const { available_micro_aud } = await books.summary(account);
  expect(statement.held_aud).toBe('0.200000');
  expect(micro(statement.closing_balance_aud) - micro(statement.held_aud!)).toBe(BigInt(available_micro_aud));
});

test('the months of Sydney part at its own midnight, in summer time and in winter time', async () => {
  const account = await books.account();
  // Midnight is 13:00 UTC while summer time lasts and 14:00 UTC otherwise; the changes are in April and October.
  for (const [amount, moment] of [
    [1, '2025-03-31T12:59:59.999Z'],
    [10, '2025-03-31T13:00:00Z'],
    [100, '2025-04-30T13:59:59.999Z'],
    [1_000, '2025-04-30T14:00:00Z'],
    [10_000, '2025-09-30T13:59:59.999Z'],
    [100_000, '2025-09-30T14:00:00Z'],
    [1_000_000, '2025-10-31T12:59:59.999Z'],
    [10_000_000, '2025-10-31T13:00:00Z'],
  ] as const) {
    await credit(account, 'adjustment', amount);
    await books.moveTo(moment);
  }
  const sums: Record<string, string> = {};
  for (const month of ['2025-03', '2025-04', '2025-05', '2025-09', '2025-10', '2025-11']) {
    const statement = await books.statement(account, month);
    sums[month] = `${statement.opening_balance_aud} ${statement.closing_balance_aud}`;
    expect(statement.held_aud).toBeNull();
  }
  expect(sums).toEqual({
    '2025-03': '0.000000 0.000001',
    '2025-04': '0.000001 0.000111',
    '2025-05': '0.000111 0.001111',
    '2025-09': '0.001111 0.011111',
    '2025-10': '0.011111 1.111111',
    '2025-11': '1.111111 11.111111',
  });
});

test('a month says its first and last day, and when its statement was issued', async () => {
  const account = await books.account();
  expect(await books.statement(account, '2024-02')).toMatchObject({
    period_start: '2024-02-01',
    period_end: '2024-02-29',
    issued_on: '2024-03-01',
    lines: [],
  });
  expect((await books.statement(account, '2024-12')).issued_on).toBe('2025-01-01');
  const current = await books.statement(account, await books.thisMonth());
  expect(current.issued_on.slice(0, 7)).toBe(current.month);
});

describe('pages', () => {
  test('together are the month, each line once, whatever is booked while they are read', async () => {
    const account = await books.account({ microAud: 5_000_000 });
    for (let index = 0; index < 10; index++) await job(account, 1, 1);
    const month = await books.thisMonth();
    const first = accepted(
      await books.statements.statement({ account_id: account, month, after: null, limit: 4 }),
    );
    await job(account, 2, 2);
    expect(first.lines).toHaveLength(4);
    const lines = [...first.lines];
    for (let after = first.next_after; after !== null;) {
      const page = accepted(
        await books.statements.statement({ account_id: account, month, after, limit: 4 }),
      );
      lines.push(...page.lines);
      after = page.next_after;
    }
    expect(lines.map(({ audio_seconds }) => audio_seconds)).toEqual([null, ...Array<number>(10).fill(1), 2]);
  });

  test('that end exactly with the month promise no other', async () => {
    const account = await books.account({ microAud: 5_000_000 });
    await job(account, 1, 1);
    const wanted = { account_id: account, month: await books.thisMonth(), after: null, limit: 2 };
    expect(accepted(await books.statements.statement(wanted)).next_after).toBeNull();
  });
});

describe('a tax invoice', () => {
  test('has the supplier, its ABN, a number, a date and the GST of each top-up', async () => {
    const account = await books.account();
    await credit(account, 'top_up', 5_000_000);
    await credit(account, 'top_up', 5_000_000);
    const statement = await books.statement(account, await books.thisMonth());
    expect(statement).toMatchObject({
      tax_invoice: true,
      supplier: { name: 'Currawong Pty Ltd', abn: '51 824 753 556', address: '1 Test St, Sydney NSW 2000' },
      invoice_number: expect.stringMatching(/^\d{6}-[0-9A-F]{12}$/),
    });
    // Each is rounded for itself, so that the total is the sum of what is shown.
    expect(statement.lines.map(({ gst_aud }) => gst_aud)).toEqual(['0.45', '0.45']);
    expect(statement.totals.gst_included_aud).toBe('0.90');
  });

  test('is not what a month without a top-up gets', async () => {
    const account = await books.account({ freeSeconds: 60 });
    await credit(account, 'adjustment', 5_000_000);
    const month = await books.thisMonth();
    expect(await books.statement(account, month)).toMatchObject({ tax_invoice: false, invoice_number: null });
  });

  test('is not what a supplier without an ABN may issue, nor may it speak of GST', async () => {
    const unregistered = await TestBooks.open(fresh.url, {
      supplier: new Supplier('Currawong', undefined, undefined),
    });
    try {
      const account = await unregistered.account({ microAud: 5_000_000 });
      const statement = await unregistered.statement(account, await unregistered.thisMonth());
      expect(statement).toMatchObject({
        tax_invoice: false,
        invoice_number: null,
        supplier: { name: 'Currawong', abn: null, address: null },
        totals: { topped_up_aud: '5.000000', gst_included_aud: '0.00' },
      });
      expect(statement.lines[0]!.gst_aud).toBeNull();
    } finally {
      await unregistered.close();
    }
  });
});

test('without a month it is the present one in Sydney, by the clock of the database', async () => {
  const account = await books.account({ microAud: 1_000_000 });
  const asked = () =>
    Promise.all([
      books.statements.statement({ account_id: account, after: null, limit: 10 }).then(accepted),
      books.statements.breakdown({ account_id: account }).then(accepted),
    ]);
  // Around the turn of a month the two may lie on either side of it.
  const before = await books.thisMonth();
  const [statement, usage] = await asked();
  const months = [before, await books.thisMonth()];
  expect(months).toContain(statement.month);
  expect(months).toContain(usage.month);
  expect(statement.lines).toHaveLength(1);
  expect(statement.held_aud).toBe('0.000000');
  // This process may have any clock.
  jest.useFakeTimers({ now: new Date('2031-05-15T00:00:00Z'), doNotFake: ALL_BUT_DATE });
  try {
    const [later, laterUsage] = await asked();
    expect([later.month, laterUsage.month]).not.toContain('2031-05');
    expect(laterUsage.days.at(-1)!.date).toBe(later.issued_on);
  } finally {
    jest.useRealTimers();
  }
});

test('nobody else’s movements are on a statement', async () => {
  const [mine, theirs] = [
    await books.account({ microAud: 1_000_000 }),
    await books.account({ microAud: 2_000_000 }),
  ];
  await job(theirs, 60, 60);
  const statement = await books.statement(mine, await books.thisMonth());
  expect(statement.lines).toHaveLength(1);
  expect(statement.closing_balance_aud).toBe('1.000000');
});

test.each([
  ['an account without books', {}, 'account_not_found'],
  ['a month to come', { month: '9999-12' }, 'invalid_parameter'],
  ['a month before the calendar', { month: '0000-01' }, 'invalid_parameter'],
  ['a page that no page named', { after: '1; DROP' }, 'invalid_parameter'],
])('%s is refused', async (_what, changes, code) => {
  const wanted = { account_id: randomUUID(), month: '2025-01', after: null, limit: 10, ...changes };
  expect(refusal(await books.statements.statement(wanted)).code).toBe(code);
});

describe('the usage of a month', () => {
  test('is there for every day, by Sydney’s midnight on days of 23 and 25 hours as well', async () => {
    const account = await books.account({ microAud: 50_000_000 });
    for (const [seconds, moment] of [
      [1, '2025-10-04T13:59:59Z'],
      [2, '2025-10-04T14:00:00Z'],
      [4, '2025-10-05T12:59:59Z'],
      [8, '2025-10-05T13:00:00Z'],
      [16, '2025-04-05T12:59:59Z'],
      [32, '2025-04-05T13:00:00Z'],
      [64, '2025-04-06T13:59:59Z'],
      [128, '2025-04-06T14:00:00Z'],
    ] as const) {
      await job(account, seconds, seconds);
      await books.moveTo(moment);
    }
    const october = accepted(await books.statements.breakdown({ account_id: account, month: '2025-10' }));
    expect(october.days).toHaveLength(31);
    const seconds = (days: typeof october.days) =>
      Object.fromEntries(
        days.filter(({ jobs }) => jobs > 0).map(({ date, audio_seconds }) => [date, audio_seconds]),
      );
    expect(seconds(october.days)).toEqual({ '2025-10-04': 1, '2025-10-05': 6, '2025-10-06': 8 });
    const april = accepted(await books.statements.breakdown({ account_id: account, month: '2025-04' }));
    expect(april.days).toHaveLength(30);
    expect(seconds(april.days)).toEqual({ '2025-04-05': 16, '2025-04-06': 96, '2025-04-07': 128 });
  });

  test('is told by key, the dashboard being none, and adds up to the statement', async () => {
    const account = await books.account({ microAud: 5_000_000, freeSeconds: 10 });
    const key_id = randomUUID();
    await job(account, 30, 25, { key_id });
    await job(account, 60, 60, { key_id });
    await job(account, 10, 10);
    const month = await books.thisMonth();
    const usage = accepted(await books.statements.breakdown({ account_id: account, month }));
    expect(usage.keys).toEqual([
      { key_id, audio_seconds: 85, jobs: 2, cost_aud: '0.025000' },
      { key_id: null, audio_seconds: 10, jobs: 1, cost_aud: '0.003333' },
    ]);
    const { totals, issued_on } = await books.statement(account, month);
    expect(usage.days.at(-1)!.date).toBe(issued_on);
    const sum = (of: (day: (typeof usage.days)[number]) => number) =>
      usage.days.reduce((all, day) => all + of(day), 0);
    expect(sum(({ audio_seconds }) => audio_seconds)).toBe(totals.audio_seconds);
    expect(sum(({ jobs }) => jobs)).toBe(totals.jobs);
    expect(usage.days.reduce((all, { cost_aud }) => all + micro(cost_aud), 0n)).toBe(micro(totals.used_aud));
  });

  test('of an account without books is refused, as is that of a month to come', async () => {
    const nobody = await books.statements.breakdown({ account_id: randomUUID(), month: '2025-01' });
    expect(refusal(nobody).code).toBe('account_not_found');
    const account = await books.account();
    const early = await books.statements.breakdown({ account_id: account, month: '9999-12' });
    expect(refusal(early).code).toBe('invalid_parameter');
  });
});

function micro(aud: string): bigint {
  return BigInt(aud.replace('.', ''));
}
