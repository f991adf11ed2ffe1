import type { StatementLine } from '@currawong/contracts';
import { setImmediate as turn } from 'node:timers/promises';
import { statementCsv } from './statement-csv';

const HEADER =
  'booked_at,kind,description,job_id,key_id,audio_seconds,price_per_minute_aud,amount_aud,gst_aud,free_seconds,balance_after_aud,free_seconds_after,id';

const topUp: StatementLine = {
  id: '7',
  booked_at: '2026-11-21T03:04:05.000Z',
  kind: 'top_up',
  description: 'Top-up by card',
  job_id: null,
  key_id: null,
  audio_seconds: null,
  price_per_minute_aud: null,
  amount_aud: '25.000000',
  gst_aud: '2.27',
  free_seconds: 0,
  balance_after_aud: '25.000000',
  free_seconds_after: 0,
};

async function csvOf(...lines: StatementLine[]): Promise<string> {
  return textOf(statementCsv(each(lines)));
}

async function* each(lines: StatementLine[]) {
  yield* lines;
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

it('has a header line, ends every line with CR LF, and leaves empty what is null', async () => {
  expect(await csvOf(topUp)).toBe(
    `${HEADER}\r\n2026-11-21T03:04:05.000Z,top_up,Top-up by card,,,,,25.000000,2.27,0,25.000000,0,7\r\n`,
  );
});

it('has its header line where the month has no lines', async () => {
  expect(await csvOf()).toBe(`${HEADER}\r\n`);
});

it('quotes commas, quotes and line breaks', async () => {
  expect(await csvOf({ ...topUp, description: 'a "b", c\nd' })).toContain(',"a ""b"", c\nd",');
});

it.each(['=1+1', '+1', '-1', '@A1', '\t=1', ' =1', '\r=1', '＝1'])(
  'what a spreadsheet would take for a formula becomes text: %j',
  async (description) => {
    const csv = await csvOf({ ...topUp, description });
    const [, row] = csv.split(/\r\n(?=2026)/);
    expect(row).toMatch(/^[^,]+,top_up,"?'/);
  },
);

it('an amount that is negative stays a number', async () => {
  expect(await csvOf({ ...topUp, amount_aud: '-0.013333' })).toContain(',-0.013333,');
});

it('asks for lines only as fast as they are read', async () => {
  let asked = 0;
  async function* endless() {
    for (;;) {
      asked++;
      yield topUp;
    }
  }
  const csv = statementCsv(endless());
  csv.read();
  for (let n = 0; n < 100; n++) await turn();
  const askedWithoutReading = asked;
  for (let n = 0; n < 100; n++) await turn();
  expect(asked).toBe(askedWithoutReading);
  expect(asked).toBeLessThan(2_000);
  csv.destroy();
});

it('breaks off where lines cannot be read on', async () => {
  async function* failing() {
    yield topUp;
    throw new Error('billing is away');
  }
  await expect(textOf(statementCsv(failing()))).rejects.toThrow('billing is away');
});
