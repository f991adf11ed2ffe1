import { parseArguments, parsePort } from './arguments';

const plain = { once: false, fresh: false, demo: true, help: false };

it.each([
  ['', plain],
  ['--once', { ...plain, once: true }],
  ['--once talk.wav --speakers 3', { ...plain, once: true, file: 'talk.wav', speakers: 3 }],
  ['--once --speakers=2 --language en-AU', { ...plain, once: true, speakers: 2, language: 'en-AU' }],
  [
    '--speakers 2 --once --fresh talk.wav',
    { ...plain, once: true, speakers: 2, fresh: true, file: 'talk.wav' },
  ],
  ['--fresh --no-demo', { ...plain, fresh: true, demo: false }],
  ['-h', { ...plain, help: true }],
])('npm start -- %s', (line, expected) => {
  expect(parseArguments(line.split(' ').filter(Boolean))).toEqual({ arguments: expected });
});

it.each([
  ['--speakers 0', '--speakers takes a whole number from 1 to 10.'],
  ['--speakers', '--speakers takes a whole number from 1 to 10.'],
  ['--speakers 2.5', '--speakers takes a whole number from 1 to 10.'],
  ['--language --once', '--language takes a code such as en.'],
  ['--twice', '--twice is not understood.'],
  ['talk.wav', 'talk.wav is not understood.'],
  ['--once a.wav b.wav', 'b.wav is not understood.'],
])('npm start -- %s is refused with a sentence', (line, sentence) => {
  const parsed = parseArguments(line.split(' '));
  expect('refusal' in parsed && parsed.refusal.split('\n')[0]).toBe(sentence);
});

it('PORT is a port, 8080 when absent, and otherwise refused with its value', () => {
  expect(parsePort(undefined)).toEqual({ port: 8080 });
  expect(parsePort('9000')).toEqual({ port: 9000 });
  for (const text of ['0', '65536', '80a', '-1']) {
    expect(parsePort(text)).toEqual({
      refusal: `PORT is "${text}"; it must be a whole number from 1 to 65535.`,
    });
  }
});
