import { fingerprintOf, idempotencyKeyOf } from './idempotency';

const sent = (...values: string[]) => ({ headersDistinct: { 'idempotency-key': values } });

it.each(['a', 'x'.repeat(255), '6f1d3a52-7c1e-4c36', '"quoted!~"'])('%j is a key', (key) => {
  expect(idempotencyKeyOf(sent(key))).toBe(key);
});
it.each([[''], ['two words'], ['x'.repeat(256)], ['tab\t'], ['é'], ['a', 'a']])('%j is none', (...values) => {
  expect(() => idempotencyKeyOf(sent(...values))).toThrow(/Idempotency-Key: must be 1 to 255 visible ASCII/);
});
it('may be left out', () => {
  expect(idempotencyKeyOf({ headersDistinct: {} })).toBeUndefined();
});

describe('a fingerprint', () => {
  const fields = { language: 'en', num_speakers: 2, prompt: '', analysis: null };
  const file = { file: 'a.wav', sha256: 'aa' };
  const same = fingerprintOf(fields, file);

  it('does not depend on the order of fields, nor on fields that stand at nothing', () => {
    expect(fingerprintOf({ prompt: '', num_speakers: 2, language: 'en' }, file)).toBe(same);
    expect(fingerprintOf({ ...fields, new_field: null, other: undefined }, file)).toBe(same);
    expect(same).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    [{ ...fields, num_speakers: 3 }, file],
    [{ ...fields, language: 'de' }, file],
    [{ ...fields, prompt: 'Ada' }, file],
    [fields, { ...file, sha256: 'bb' }],
    [fields, { ...file, file: 'b.wav' }],
    [fields, { file_url: 'a.wav' }],
    [fields, { upload_id: 'a.wav' }],
    // Neither a field nor a name can make one look like the other.
    [{ ...fields, language: 'en","x' }, file],
  ])('of %j and %j is another', (otherFields, recording) => {
    expect(fingerprintOf(otherFields, recording)).not.toBe(same);
  });
});
