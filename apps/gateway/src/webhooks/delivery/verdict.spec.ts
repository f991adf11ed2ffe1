import { OutboundError } from '@currawong/outbound';
import { judge, shownAnswer, type AttemptResult } from './verdict';

const NOW = new Date('2026-11-21T10:00:00Z');
const answered = (status: number, headers: Record<string, string> = {}): AttemptResult => ({
  ok: true,
  answer: { status, headers, body: Buffer.alloc(0) },
});
const silent: AttemptResult = { ok: false, error: new OutboundError('timed_out', 'it did not answer') };
const judged = (result: AttemptResult, scheduled = 1, isLast = false) =>
  judge(result, { scheduled, isLast }, [10, 100], NOW, 0.5);

it.each([200, 201, 204, 299])('%d is success', (status) => {
  expect(judged(answered(status))).toEqual({ kind: 'delivered' });
});

it.each([100, 301, 302, 307, 308, 400, 401, 404, 422, 500, 502])(
  '%d is tried again, as silence is',
  (status) => {
    expect(judged(answered(status))).toEqual({ kind: 'again', afterSeconds: 10 });
    expect(judged(silent, 2)).toEqual({ kind: 'again', afterSeconds: 100 });
  },
);

it('the last pause over, it has failed', () => {
  expect(judged(answered(500), 3)).toEqual({ kind: 'failed', endpointGone: false });
  expect(judged(silent, 3)).toEqual({ kind: 'failed', endpointGone: false });
});

it('410 ends everything that goes there', () => {
  expect(judged(answered(410))).toEqual({ kind: 'failed', endpointGone: true });
});

it('Retry-After counts with 429 and 503 alone', () => {
  const header = { 'retry-after': '60' };
  expect([429, 503, 500].map((status) => judged(answered(status, header)))).toEqual([
    { kind: 'again', afterSeconds: 60 },
    { kind: 'again', afterSeconds: 60 },
    { kind: 'again', afterSeconds: 10 },
  ]);
});

it('an attempt that is the last one ends it', () => {
  expect(judged(answered(500), 1, true)).toEqual({ kind: 'failed', endpointGone: false });
  expect(judged(answered(200), 1, true)).toEqual({ kind: 'delivered' });
});

it('of an answer the beginning is kept, as plain text', () => {
  expect(shownAnswer(Buffer.from('\x1b[31mred\x00\r\n\u202eodd '))).toBe('[31mred odd');
  expect(shownAnswer(Buffer.from('é'.repeat(3_000)))).toHaveLength(1_000);
  expect(shownAnswer(Buffer.from(`${'a'.repeat(999)}😀`))).toBe('a'.repeat(999));
  expect(shownAnswer(Buffer.from([0xff, 0xfe, 0x41]))).toContain('A');
});
