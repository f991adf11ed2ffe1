import { type LineRow, lineFrom } from './lines';

const row = (changes: Partial<LineRow>): LineRow => ({
  id: '7',
  kind: 'capture',
  reference: 'x',
  reason: null,
  booked_at: new Date('2026-11-21T00:00:00Z'),
  job_id: '0198bbbb-0000-7000-8000-00000000000b',
  key_id: null,
  option: 'transcription',
  price_per_minute_micro_aud: '20000',
  captured_free_seconds: '0',
  captured_paid_seconds: '0',
  hold_free_seconds: '0',
  hold_paid_seconds: '0',
  micro_aud: '0',
  free_seconds: '0',
  balance_after_micro_aud: '0',
  free_seconds_after: '0',
  ...changes,
});

test.each<[string, Partial<LineRow>]>([
  [
    'Free transcription for the new account: 90 min.',
    { kind: 'open_account', free_seconds: '5400', job_id: null },
  ],
  [
    'Top-up of the prepaid credit, paid by card.',
    { kind: 'top_up', reference: 'stripe:cs_1', reason: 'Paid by card' },
  ],
  [
    'Top-up of the prepaid credit: bank transfer of 3 May.',
    { kind: 'top_up', reason: 'bank transfer of 3 May' },
  ],
  ['Credit added: sorry for Tuesday!', { kind: 'adjustment', reason: 'sorry for Tuesday!' }],
  ['Transcription with speakers of 12 min 30 s of audio.', { captured_paid_seconds: '750' }],
  ['Transcription with speakers of 2 min of audio, all of it free.', { captured_free_seconds: '120' }],
  [
    'Transcription with speakers, tone and sentiment of 1 min 1 s of audio, 7 s of it free.',
    { option: 'analysis', captured_free_seconds: '7', captured_paid_seconds: '54' },
  ],
  [
    'Nothing was charged for this job. What had been set aside is available again: AUD 0.20.',
    { kind: 'release', hold_paid_seconds: '600' },
  ],
  [
    'Nothing was charged for this job. What had been set aside is available again: AUD 0.000333 and 10 min of free audio.',
    { kind: 'release', hold_paid_seconds: '1', hold_free_seconds: '600' },
  ],
  [
    'Nothing was charged for this job. What had been set aside is available again: 59 s of free audio.',
    { kind: 'release', hold_free_seconds: '59' },
  ],
])('a customer reads: %s', (sentence, changes) => {
  expect(lineFrom(row(changes), true).description).toBe(sentence);
});

test('a charge is negative, exact, and comes with what it was for', () => {
  const changes = {
    captured_free_seconds: '7',
    captured_paid_seconds: '1',
    micro_aud: '-333',
    free_seconds: '-7',
  };
  expect(lineFrom(row({ ...changes, balance_after_micro_aud: '12345678' }), true)).toMatchObject({
    kind: 'job',
    audio_seconds: 8,
    price_per_minute_aud: '0.020000',
    amount_aud: '-0.000333',
    free_seconds: -7,
    balance_after_aud: '12.345678',
    gst_aud: null,
  });
});

test.each([
  ['25000000', '2.27'],
  ['11000000', '1.00'],
  ['5000000', '0.45'],
  ['550000', '0.05'],
  // One eleventh of 49.5 cents is 4.5 cents, which goes up.
  ['495000', '0.05'],
  ['494999', '0.04'],
])('a top-up of %s micro-AUD contains AUD %s of GST', (micro_aud, gst) => {
  const topUp = row({ kind: 'top_up', reason: 'card', micro_aud });
  expect(lineFrom(topUp, true).gst_aud).toBe(gst);
  // Who is not registered may not speak of GST.
  expect(lineFrom(topUp, false).gst_aud).toBeNull();
});
