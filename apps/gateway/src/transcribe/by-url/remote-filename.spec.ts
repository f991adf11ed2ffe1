import { remoteFilename } from './remote-filename';

const at = 'https://example.com';

it.each([
  [`${at}/talks/a%20b.MP3?token=1`, {}, 'a b.MP3'],
  [`${at}/a.mp3`, { 'content-type': 'text/plain' }, 'a.mp3'],
  [`${at}/x`, { 'content-disposition': 'attachment; filename="a \\"b\\".wav"' }, 'a "b".wav'],
  [`${at}/x`, { 'content-disposition': "inline; filename=x.wav; filename*=UTF-8''%E9%9B%A8.wav" }, '雨.wav'],
  [`${at}/x`, { 'content-disposition': 'attachment; filename=../../etc/a.ogg' }, 'a.ogg'],
  [`${at}/a.flac`, { 'content-disposition': 'attachment; filename="a.bin"' }, 'a.flac'],
  [`${at}/stream`, { 'content-type': 'audio/mpeg; charset=x' }, 'stream.mp3'],
  [`${at}/`, { 'content-type': 'VIDEO/MP4' }, 'recording.mp4'],
  [`${at}/%ff%fe.wav`, {}, '%ff%fe.wav'],
])('%s with %j is called %s', (url, headers, name) => {
  expect(remoteFilename(url, headers)).toBe(name);
});

it.each([
  [`${at}/a`, {}],
  [`${at}/a.html`, { 'content-type': 'text/html' }],
  [`${at}/a`, { 'content-type': 'application/octet-stream' }],
  [`${at}/a`, { 'content-type': 'constructor' }],
  [`${at}/a`, { 'content-disposition': 'attachment; filename="a.exe"' }],
])('%s with %j is not known to be a recording', (url, headers) => {
  expect(remoteFilename(url, headers)).toBeUndefined();
});
