import type { TranscriptSegment } from '@currawong/contracts';
import { asPlainText, asSubRip, asWebVtt } from './formats';

function segment(
  start: number,
  end: number,
  speaker: string,
  text: string,
  words: TranscriptSegment['words'] = [],
): TranscriptSegment {
  return { start, end, speaker, text, confidence: null, words };
}

const talk = [
  segment(0.5, 2.25, 'Speaker 1', 'good morning'),
  segment(2.4, 4, 'Speaker 1', 'how are you'),
  segment(4.1, 5.0004, 'Speaker 2', 'very well'),
];
const names = { 'Speaker 2': 'Katie' };

describe('a transcript as plain text', () => {
  it('is a paragraph to a turn, under the names that were given', () => {
    expect(asPlainText(talk, names)).toBe('Speaker 1: good morning how are you\n\nKatie: very well\n');
  });

  it('joins voices that were given the same name', () => {
    const same = { 'Speaker 1': 'Katie', 'Speaker 2': 'Katie' };
    expect(asPlainText(talk, same)).toBe('Katie: good morning how are you very well\n');
  });
});

describe('a transcript as SubRip', () => {
  it('is numbered cues with times to the millisecond', () => {
    expect(asSubRip(talk, names)).toBe(
      [
        '1\n00:00:00,500 --> 00:00:02,250\nSpeaker 1: good morning\n',
        '2\n00:00:02,400 --> 00:00:04,000\nSpeaker 1: how are you\n',
        '3\n00:00:04,100 --> 00:00:05,000\nKatie: very well\n',
      ].join('\n'),
    );
  });

  it('lets no text begin a cue of its own', () => {
    const text = 'one\n\n2\n00:00:00,000 --> 00:00:09,000\nforged';
    const file = asSubRip([segment(0, 1, 'Speaker 1', text)], {});
    expect(file).toBe(
      '1\n00:00:00,000 --> 00:00:01,000\nSpeaker 1: one 2 00:00:00,000 → 00:00:09,000 forged\n',
    );
  });
});

describe('a transcript as WebVTT', () => {
  it('names the voice of each cue', () => {
    expect(asWebVtt(talk.slice(2), names)).toBe(
      'WEBVTT\n\n00:00:04.100 --> 00:00:05.000\n<v Katie>very well\n',
    );
  });

  it('escapes what would be markup, in names and in texts', () => {
    const file = asWebVtt([segment(0, 1, 'Speaker 1', 'a < b --> c & <i>d</i>\n\ne')], {
      'Speaker 1': 'K & <b>',
    });
    expect(file).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n' +
        '<v K &amp; &lt;b&gt;>a &lt; b --&gt; c &amp; &lt;i&gt;d&lt;/i&gt; e\n',
    );
  });
});

describe('the times of a cue', () => {
  const timesOf = (start: number, end: number) =>
    asSubRip([segment(start, end, 'Speaker 1', 'x')], {}).split('\n')[1];

  it.each([
    [3599.9994, 3600, '00:59:59,999 --> 01:00:00,000'],
    [3599.9996, 3601.5, '01:00:00,000 --> 01:00:01,500'],
    [43_199.001, 43_200.25, '11:59:59,001 --> 12:00:00,250'],
    [359_999.5, 360_000, '99:59:59,500 --> 100:00:00,000'],
    [7.1, 7.1, '00:00:07,100 --> 00:00:07,101'],
  ])('%d to %d s is %s', (start, end, times) => {
    expect(timesOf(start, end)).toBe(times);
  });
});

describe('a segment longer than two lines', () => {
  const words = Array.from({ length: 40 }, (_, index) => ({
    text: `word${String(index).padStart(2, '0')}`,
    start: index,
    end: index + 0.5,
    confidence: null,
  }));
  const text = words.map((word) => word.text).join(' ');

  it('is cut between words, and each piece has the times of its words', () => {
    const cues = asWebVtt([segment(0, 40, 'Speaker 1', text, words)], {})
      .split('\n\n')
      .slice(1)
      .map((cue) => cue.trim().split('\n'));
    expect(cues.map(([, spoken]) => spoken!.replace('<v Speaker 1>', '')).join(' ')).toBe(text);
    for (const [, spoken] of cues) expect(spoken!.length - '<v Speaker 1>'.length).toBeLessThanOrEqual(84);
    expect(cues[0]![0]).toBe('00:00:00.000 --> 00:00:11.500');
    expect(cues[1]![0]).toMatch(/^00:00:12\.000 --> /);
    expect(cues.at(-1)![0]).toMatch(/ --> 00:00:39\.500$/);
  });

  it('stays whole where the engine gave no words', () => {
    expect(asSubRip([segment(0, 40, 'Speaker 1', text)], {}).match(/-->/g)).toHaveLength(1);
  });
});

it('a recording without speech gives files without cues', () => {
  expect(asPlainText([], {})).toBe('');
  expect(asSubRip([], {})).toBe('');
  expect(asWebVtt([], {})).toBe('WEBVTT\n');
});
