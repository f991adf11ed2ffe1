import { displayFilename } from './display-filename';

it.each([
  ['talk.wav', 'talk.wav'],
  ['/etc/passwd.wav', 'passwd.wav'],
  ['C:\\me\\talk.wav', 'talk.wav'],
  ['..', '..'],
  ['a\u0000b\u001f\u007f\u0085.wav', 'ab.wav'],
  ['gpj\u202e3pm.exe.wav', 'gpj3pm.exe.wav'],
  ...[...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'].map((control) => [
    `a${control}b.wav`,
    'ab.wav',
  ]),
  ['cafe\u0301.wav', 'café.wav'],
  ['half \ud83d.wav', 'half \ufffd.wav'],
  ['  spaced .wav ', 'spaced .wav'],
  ['\u0000', ''],
  ['=?utf-8?B?R2VzcHLDpGNoLndhdg==?=', 'Gespräch.wav'],
  ['=?UTF-8?Q?Gespr=C3=A4ch_1.wav?=', 'Gespräch 1.wav'],
  ['=?utf-8?B?Li4vZXRjL2Eud2F2?=', 'a.wav'],
])('%j is shown as %j', (sent, shown) => {
  expect(displayFilename(sent)).toBe(shown);
});

it('a long name is cut before its extension, never within a character', () => {
  const name = displayFilename(`${'x'.repeat(250)}😀${'y'.repeat(100)}.wav`);
  expect(name.length).toBeLessThanOrEqual(255);
  expect(name.endsWith('.wav')).toBe(true);
  expect(name.isWellFormed()).toBe(true);
});
