import { leaks, passage, token } from './leaks';

const key = 'sk_live_7Hq2mZ0pXw4Rt9Yb1Nc8Ld5Vf3Gs6Jk_a1B2c3';
const secrets = [
  token('the key', key, 12),
  token('the password', 'black feathers "and" a yellow eye'),
  passage('the transcript', 'He was not an ill-disposed young man'),
];
const inLog = (text: string) =>
  leaks(secrets, [{ where: 'gateway.log', text }]).map((line) => line.slice(0, 30));

it.each([
  ['whole', key],
  ['twelve characters of it', `…${key.slice(20, 32)}…`],
  ['its end with what comes before', key.slice(-12)],
  ['in JSON', JSON.stringify({ headers: { 'x-api-key': key } })],
  ['in a URL', `/api/v1/jobs?key=${encodeURIComponent(key)}`],
  ['in base64', Buffer.from(`user:${key}`).toString('base64')],
  ['as a buffer', JSON.stringify(Buffer.from(`X-API-Key: ${key}\r\n`))],
])('a key is found: %s', (_, text) => {
  expect(inLog(`{"level":30,"msg":"asked"}\n{"level":30,"msg":${text}}\n`)).toEqual([
    expect.stringMatching(/^the key in gateway\.log/),
  ]);
});

it('what may be shown of a key is not taken for a leak', () => {
  expect(inLog(`key ${key.slice(0, 12)}…${key.slice(-4)} was revoked; ${key.slice(14, 25)}`)).toEqual([]);
});

it('a password is found though JSON escapes it', () => {
  expect(
    inLog(JSON.stringify({ body: '{"password":"black feathers \\"and\\" a yellow eye"}' })),
  ).toHaveLength(1);
});

it('four words of a transcript are found, whatever stands between them; three are not', () => {
  expect(inLog('{"text":"not an\\n[Speaker 2]: ill"}')).toEqual([]);
  expect(inLog('{"words":["Was","NOT","an","ill"]}')).toEqual(['the transcript in gateway.log:']);
  expect(inLog('he was not here')).toEqual([]);
});

it('what is too short to be told from chance is refused', () => {
  expect(() => token('a pin', '1234')).toThrow('a pin is too short');
  expect(() => passage('a word', 'absolutely')).toThrow('a word is too short');
});
