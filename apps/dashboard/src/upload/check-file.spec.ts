import { plainlyWrong } from './check-file';

const check = (name: string, size = 1_000) => plainlyWrong({ name, size }, 500_000_000);

it.each(['talk.mp3', 'TALK.WAV', 'a.b.flac', 'x.m4a', 'x.mp4', 'x.webm', 'x.ogg'])('%s may be sent', (name) =>
  expect(check(name)).toBeUndefined(),
);

it.each(['notes.txt', 'mp3', 'talk.mp3.exe', 'talk.'])('%s is not sent in vain', (name) =>
  expect(check(name)).toMatch(/not supported\. Use \.mp3/),
);

it('neither is an empty file, nor one over the limit', () => {
  expect(check('a.mp3', 0)).toBe('The file is empty.');
  expect(check('a.mp3', 500_000_000)).toBeUndefined();
  expect(check('a.mp3', 612_000_000)).toMatch(/^The file has 612 MB; at most 500 MB are accepted\./);
});
