import { readerDocument } from './document';
import { plainText } from './plain-text';

const { turns } = readerDocument(
  [
    ['Speaker 1', '你好', '，', '世界', '。'],
    ['Speaker 2', 'Good', 'morning.'],
  ].map(([speaker, ...texts]) => ({
    ...{ speaker: speaker!, text: texts.join(' '), start: 0, end: 1, confidence: null },
    words: texts.map((text) => ({ text, start: 0, end: 1, confidence: null })),
  })),
);

it('a paragraph for each turn, each script with its own spaces', () => {
  expect(plainText(turns, null)).toBe('你好，世界。\n\nGood morning.');
});

it('each with the name that its speaker was given', () => {
  expect(plainText(turns, { 'Speaker 2': 'Maya' })).toBe('Speaker 1: 你好，世界。\n\nMaya: Good morning.');
});
