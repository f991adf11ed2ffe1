import { contentDisposition } from './content-disposition';

it.each([
  ['talk.wav', `attachment; filename="talk.wav"; filename*=UTF-8''talk.wav`],
  ['Gespräch 1.mp3', `attachment; filename="Gesprach 1.mp3"; filename*=UTF-8''Gespr%C3%A4ch%201.mp3`],
  ["it's (1).txt", `attachment; filename="it's (1).txt"; filename*=UTF-8''it%27s%20%281%29.txt`],
  ['"; x="y\\.txt', `attachment; filename="_; x=_y_.txt"; filename*=UTF-8''%22%3B%20x%3D%22y%5C.txt`],
  [
    'a\r\nSet-Cookie: b',
    `attachment; filename="a__Set-Cookie: b"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b`,
  ],
  ['half \ud83d.txt', `attachment; filename="half _.txt"; filename*=UTF-8''half%20%EF%BF%BD.txt`],
])('%j is named without a way out of the header', (filename, header) => {
  expect(contentDisposition('attachment', filename)).toBe(header);
});
