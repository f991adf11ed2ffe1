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

it('the text of a turn has no spaces in a script that is written without them', () => {
  const turn = [segment(0, 1, 'Speaker 1', '今天早上'), segment(1, 2, 'Speaker 1', '我们去河边。')];
  expect(asPlainText(turn, {})).toBe('Speaker 1: 今天早上我们去河边。\n');
});

describe('a transcript as SubRip', () => {
  it('is numbered cues with times to the millisecond, and names whoever begins to speak', () => {
    expect(asSubRip(talk, names)).toBe(
      '1\n00:00:00,500 --> 00:00:04,000\nSpeaker 1: good morning how are you\n\n' +
        '2\n00:00:04,100 --> 00:00:05,041\nKatie: very well\n',
    );
  });

  it('lets no text begin a cue of its own', () => {
    const text = 'one\n\n2\n00:00:00,000 --> 00:00:09,000\nforged';
    const file = asSubRip([segment(0, 2, 'Speaker 1', text)], {});
    expect(file.match(/-->/g)).toHaveLength(1);
    expect(file.split('\n\n')).toHaveLength(1);
    expect(file).toContain('→');
  });
});

describe('a transcript as WebVTT', () => {
  it('names the voice of each cue', () => {
    expect(asWebVtt(talk.slice(2), names)).toBe(
      'WEBVTT\n\n00:00:04.100 --> 00:00:05.000\n<v Katie>very well\n',
    );
  });

  it('escapes what would be markup, in names and in texts', () => {
    const file = asWebVtt([segment(0, 2, 'Speaker 1', 'a < b --> c & <i>d</i>\n\ne')], {
      'Speaker 1': 'K & <b>',
    });
    expect(file).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n' +
        '<v K &amp; &lt;b&gt;>a &lt; b --&gt; c &amp; &lt;i&gt;d&lt;/i&gt; e\n',
    );
  });
});

describe('the times of a cue', () => {
  const timesOf = (start: number, end: number) =>
    asSubRip([segment(start, end, 'Speaker 1', 'x')], {}).split('\n')[1];

  it.each([
    [3599.9994, 3601, '00:59:59,999 --> 01:00:01,000'],
    [3599.9996, 3601.5, '01:00:00,000 --> 01:00:01,500'],
    [43_199.001, 43_200.25, '11:59:59,001 --> 12:00:00,250'],
    [359_999.5, 360_001, '99:59:59,500 --> 100:00:01,000'],
    [7.1, 7.1, '00:00:07,100 --> 00:00:07,933'],
  ])('%d to %d s is %s', (start, end, times) => {
    expect(timesOf(start, end)).toBe(times);
  });
});

it('a recording without speech gives files without cues', () => {
  expect(asPlainText([], {})).toBe('');
  expect(asSubRip([], {})).toBe('');
  expect(asWebVtt([], {})).toBe('WEBVTT\n');
});
