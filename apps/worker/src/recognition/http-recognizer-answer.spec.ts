import { EngineMisconfigured, wordsOfAnswer } from './http-recognizer-answer';
import { languageCode, WHISPER_LANGUAGES } from './whisper-languages';

const token = (word: string, start: number, end: number, probability = 0.9) => ({
  word,
  start,
  end,
  probability,
});
const texts = (body: unknown, asked = 'en') => wordsOfAnswer(body, 10, asked).words.map(({ text }) => text);

describe('answers of speech servers', () => {
  it('joins tokens to words, over segments too, as unsure as their least sure part', () => {
    const body = {
      text: ' Hello curra\nwong',
      language: 'english',
      segments: [
        {
          text: ' Hello curra',
          words: [token(' Hello', 0, 1), token(' cur', 1, 1.5), token('ra', 1.5, 2, 0.4)],
        },
        { text: 'wong', words: [token('wong', 2, 2.5)] },
      ],
    };
    expect(wordsOfAnswer(body, 10, 'en').words).toEqual([
      { text: 'Hello', start: 0, end: 1, confidence: 0.9 },
      { text: 'currawong', start: 1, end: 2.5, confidence: 0.4 },
    ]);
  });

  it('puts characters together again that were spread over tokens', () => {
    const broken = [
      token(' caf', 0, 1),
      token('\uFFFD', 1, 1.2),
      token('\uFFFD', 1.2, 1.4),
      token(' au', 1.4, 2),
    ];
    expect(texts({ text: ' café au', segments: [{ text: ' café au', words: broken }] })).toEqual([
      'café',
      'au',
    ]);
  });

  it('takes each token for a word where words have no spaces', () => {
    const body = {
      text: '你好',
      language: 'chinese',
      segments: [{ text: '你好', words: [token('你', 0, 1), token('好', 1, 2)] }],
    };
    expect(wordsOfAnswer(body, 10, 'auto')).toMatchObject({
      language: 'zh',
      words: [{ text: '你' }, { text: '好' }],
    });
  });

  it('prefers the list of words where there is one', () => {
    const words = [{ start: 0, end: 1, word: ' Hello', probability: 0.5 }];
    const segments = [{ text: ' Hello', start: 0, end: 1, words: null }];
    expect(texts({ text: 'Hello', words, segments })).toEqual(['Hello']);
  });

  it('looks into the segments where the list of words is empty or has no times', () => {
    const segments = [{ text: ' Hello', start: 0, end: 1, words: [token(' Hello', 0, 1)] }];
    expect(texts({ text: 'Hello', words: [], segments })).toEqual(['Hello']);
    expect(texts({ text: 'Hello', words: [{ word: 'Hello' }], segments })).toEqual(['Hello']);
  });

  it('leaves out a word without times, but not a part of one', () => {
    const words = [token('a', 0, 1), { word: 'b' }, { word: 'c', start: 2, end: null }, token('d', 3, 4)];
    expect(texts({ text: 'a b c d', words })).toEqual(['a', 'd']);
    const tokens = [{ word: ' cur' }, token('ra', 1, 2), { word: 'wong' }, { word: ' x' }];
    expect(
      wordsOfAnswer({ text: 'currawong x', segments: [{ text: '', words: tokens }] }, 10, 'en').words,
    ).toEqual([{ text: 'currawong', start: 1, end: 2, confidence: null }]);
  });

  it.each(['...', '\u266A \u266A', '(\u2014)'])('takes %s without words for nothing said', (text) => {
    expect(texts({ text, words: [] })).toEqual([]);
  });

  it.each([
    ['text alone', { text: 'one' }],
    ['digits alone', { text: '42', words: [] }],
    ['words without any times', { text: 'one', words: [{ word: 'one' }] }],
    ['no transcription', { segments: [] }],
  ])('takes %s for a wrong setting, unless the server has given words before', (_, body) => {
    expect(() => wordsOfAnswer(body, 10, 'en')).toThrow(EngineMisconfigured);
    const refused = () => wordsOfAnswer(body, 10, 'en', true);
    expect(refused).toThrow(/It gave words with times before/);
    expect(refused).not.toThrow(EngineMisconfigured);
  });

  it.each([
    ['repeats itself', { compression_ratio: 2.5 }],
    ['is text where nothing was said', { no_speech_prob: 0.7, avg_logprob: -1.1 }],
  ])('leaves out a segment that %s by its own figures', (_, figures) => {
    const words = [token('Thanks', 0, 1), token('for', 1, 2), token('yes', 5, 6)];
    const segments = [
      { text: 'Thanks for', start: 0, end: 2, ...figures },
      { text: 'yes', start: 5, end: 6, no_speech_prob: 0.7, avg_logprob: -0.2 },
    ];
    expect(texts({ text: 'Thanks for yes', words, segments })).toEqual(['yes']);
  });

  it('finds repetition itself where the server does not say', () => {
    const text = ' Thank you.'.repeat(20);
    const words = Array.from({ length: 20 }, (_, index) => token(' Thank you.', index / 4, (index + 1) / 4));
    expect(texts({ text, segments: [{ text, start: 0, end: 5, words }] })).toEqual([]);
  });

  it('keeps times inside what was sent', () => {
    const words = [token('a', -0.01, 0.5), token('b', 9.9, 12), token('c', 11, 10.5)];
    expect(wordsOfAnswer({ text: 'a b c', words }, 10, 'en').words).toMatchObject([
      { start: 0, end: 0.5 },
      { start: 9.9, end: 10 },
      { start: 10, end: 10 },
    ]);
  });

  it('takes nothing for nothing', () => {
    expect(texts({ text: '', segments: [] })).toEqual([]);
    expect(texts({ text: ' ', words: null, segments: null })).toEqual([]);
  });
});

describe('languages of Whisper', () => {
  it('are the 99 of its multilingual vocabulary', () => {
    expect(new Set(WHISPER_LANGUAGES).size).toBe(99);
  });

  it.each([
    ['english', 'en'],
    ['en', 'en'],
    ['en-US', 'en'],
    ['haitian creole', 'ht'],
    ['Nynorsk', 'nn'],
    ['cantonese', 'yue'],
  ])('%s is %s', (name, code) => expect(languageCode(name)).toBe(code));
});
