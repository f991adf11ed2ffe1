import { audioKindOf, hasAcceptedExtension } from './audio-kind';

const ascii = (text: string) => Buffer.from(text, 'latin1');
const ebml = (docType: string) =>
  Buffer.concat([
    Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282', 'hex'),
    Buffer.from([0x80 | docType.length]),
    ascii(docType),
  ]);
/** Frames of MPEG 1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes each. */
const mpegFrame = Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413)]);
const id3 = (sizeBytes: number) =>
  Buffer.from([...ascii('ID3'), 4, 0, 0, 0, 0, sizeBytes >> 7, sizeBytes & 127, ...Buffer.alloc(sizeBytes)]);

it.each([
  ['wav', ascii('RIFF\0\0\0\0WAVEfmt ')],
  ['wav', ascii('RF64\xff\xff\xff\xffWAVEds64')],
  ['ogg', ascii('OggS\0\x02')],
  ['flac', ascii('fLaC\0')],
  ['flac', Buffer.concat([id3(300), ascii('fLaC')])],
  ['mp4', ascii('\0\0\0\x1cftypM4A \0\0\0\0')],
  ['mp4', ascii('\0\0\0\x1cftypisom')],
  ['webm', ebml('webm')],
  ['webm', ebml('matroska')],
  ['mp3', id3(20)],
  ['mp3', Buffer.concat([mpegFrame, mpegFrame])],
  ['mp3', Buffer.concat([Buffer.alloc(1000), mpegFrame, mpegFrame])],
  ['mp3', mpegFrame],
])('%s is recognised', (kind, head) => {
  expect(audioKindOf(head)).toBe(kind);
});

it.each([
  ['a RIFF that is a video', ascii('RIFF\0\0\0\0AVI LIST')],
  ['a still picture in the boxes of MP4', ascii('\0\0\0\x1cftypheic')],
  ['raw AAC', Buffer.from('fff15080021ffc', 'hex')],
  ['one frame header before something else', Buffer.concat([mpegFrame, Buffer.alloc(4000, 1)])],
  ['another document in EBML', ebml('comic')],
  ['text', ascii('hello')],
  ['zeros', Buffer.alloc(4096)],
  ['nothing', Buffer.alloc(0)],
  ['a page', ascii('<!doctype html>')],
])('%s is none of the accepted kinds', (_, head) => {
  expect(audioKindOf(head)).toBeUndefined();
});

it('never fails on a head cut anywhere', () => {
  for (const whole of [
    ebml('webm'),
    id3(300),
    mpegFrame,
    ascii('RIFF\0\0\0\0WAVE'),
    ascii('\0\0\0\x1cftypM4A '),
  ])
    for (let size = 0; size < whole.length; size++)
      expect(() => audioKindOf(whole.subarray(0, size))).not.toThrow();
});

it.each(['a.mp3', 'a.MP3', 'a.tar.Wav', '雨.webm'])('%s has an accepted extension', (name) => {
  expect(hasAcceptedExtension(name)).toBe(true);
});
it.each(['', '.mp3', 'mp3', 'a.mp3.exe', 'a.aac', 'a.mp3 '])('"%s" has none', (name) => {
  expect(hasAcceptedExtension(name)).toBe(false);
});
