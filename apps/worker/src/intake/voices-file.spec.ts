import { decodeVoices, encodeVoices } from './voices-file';

const observations = [Buffer.from('one'), Buffer.alloc(0), Buffer.from([0, 255, 10])];

it('gives back what each chunk was observed to be, an empty one as well', () => {
  expect(decodeVoices(encodeVoices(observations))).toEqual(observations);
  expect(decodeVoices(encodeVoices([]))).toEqual([]);
});

it('takes nothing for voices that is something else, cut short or too long', () => {
  const whole = encodeVoices(observations);
  for (let length = 0; length < whole.length; length++)
    expect(() => decodeVoices(whole.subarray(0, length))).toThrow(RangeError);
  expect(() => decodeVoices(Buffer.concat([whole, Buffer.from('x')]))).toThrow(RangeError);
  const newer = Buffer.from(whole);
  newer.writeUInt32LE(2, 8);
  expect(() => decodeVoices(newer)).toThrow('Voices of version 2 cannot be read.');
  expect(() => decodeVoices(Buffer.from('{"version":1,"segments":[]}'))).toThrow('no voices');
});
