import type { TranscriptSegment, TranscriptWord } from '@currawong/contracts';
import {
  cuesOf,
  GAP_SECONDS,
  labelOf,
  LINE_CHARACTERS,
  LONG_PAUSE_SECONDS,
  LONGEST_SECONDS,
  MOST_CHARACTERS_PER_SECOND,
  SHORTEST_SECONDS,
  type Cue,
} from './cues';

/** Words one after the other, each as long as it takes to say; a number is a silence in seconds. */
function said(speaker: string, start: number, ...pieces: (string | number)[]): TranscriptSegment {
  const words: TranscriptWord[] = [];
  let at = start;
  for (const piece of pieces) {
    if (typeof piece === 'number') at += piece;
    else
      for (const text of piece.split(' ')) {
        const seconds = 0.1 + text.length * 0.05;
        words.push({ text, start: at, end: at + seconds, confidence: 1 });
        at += seconds;
      }
  }
  const text = words.map((word) => word.text).join(' ');
  return { start, end: at, speaker, text, confidence: 1, words };
}

const linesOf = (cues: readonly Cue[]) => cues.map(({ parts }) => parts.flatMap(({ lines }) => lines));

describe('a subtitle', () => {
  it('is broken where a clause ends, into even lines', () => {
    const segment = said(
      'Speaker 1',
      0,
      'when the rain had stopped at last we went down to the river and swam',
    );
    expect(linesOf(cuesOf([segment], {}, { labels: false }))).toEqual([
      ['when the rain had stopped at last', 'we went down to the river and swam'],
    ]);
  });

  it('ends with the sentence where there is a choice', () => {
    const segment = said(
      ...([
        'Speaker 1',
        0,
        'We went down to the river to swim.',
        'The water had been cold since the winter, and',
      ] as const),
      'nobody stayed in it for longer than a minute.',
    );
    expect(linesOf(cuesOf([segment], {}, { labels: false }))[0]!.join(' ')).toBe(
      'We went down to the river to swim.',
    );
  });

  it('stays on into the pause after it for as long as it takes to read, and no longer than to the next one', () => {
    const quick = [
      { text: 'incomprehensibilities', start: 1, end: 1.2, confidence: 1 },
      { text: 'notwithstanding', start: 1.2, end: 1.4, confidence: 1 },
    ];
    const segment = { ...said('Speaker 1', 1, 'x'), words: quick, end: 1.4 };
    const [alone] = cuesOf([segment], {}, { labels: false });
    expect(alone!.end - alone!.start).toBeCloseTo(37 / 17);
    const [first, second] = cuesOf([segment, said('Speaker 1', 2.5, 'and so on')], {}, { labels: false });
    expect(first!.end).toBeCloseTo(2.5 - GAP_SECONDS);
    expect(second!.start).toBe(2.5);
  });

  it('does not go on over a long silence', () => {
    const cues = cuesOf(
      [said('Speaker 1', 0, 'one two', LONG_PAUSE_SECONDS, 'three')],
      {},
      { labels: false },
    );
    expect(linesOf(cues)).toEqual([['one two'], ['three']]);
  });

  it('names a voice when it begins, and not again while it goes on', () => {
    const cues = cuesOf(
      [
        said('Speaker 1', 0, 'good morning everybody', 2, 'shall we begin with the minutes'),
        said('Speaker 2', 6, 'yes let us begin with those'),
      ],
      { 'Speaker 2': 'Katie' },
      { labels: true },
    );
    expect(linesOf(cues)).toEqual([
      ['Speaker 1: good morning everybody'],
      ['shall we begin with the minutes'],
      ['Katie: yes let us begin with those'],
    ]);
  });

  it('gives two voices a line each where a short answer would flash by', () => {
    const cues = cuesOf(
      [
        said('Speaker 1', 0, 'really'),
        said('Speaker 2', 0.45, 'yes'),
        said('Speaker 1', 2.5, 'I did not know that at all'),
      ],
      {},
      { labels: true },
    );
    expect(linesOf(cues)).toEqual([
      ['Speaker 1: really', 'Speaker 2: yes'],
      ['Speaker 1: I did not know that at all'],
    ]);
  });

  it('has the words of a segment without times where they are likely to have been said', () => {
    const text = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    const cues = cuesOf([{ ...said('Speaker 1', 0, 'x'), text, words: [], end: 40 }], {}, { labels: false });
    expect(linesOf(cues).flat().join(' ')).toBe(text);
    expect(cues.every(({ start, end }) => end - start <= LONGEST_SECONDS + 0.001)).toBe(true);
  });

  it('has no spaces between the words of a script without them, and the room that they would take', () => {
    const once = '今天 早上 我们 去 河边 散步 的 时候 下 起 了 大 雨';
    // 38 characters are one line; with spaces they would be two.
    const segment = said('Speaker 1', 0, once, once);
    const line = once.replaceAll(' ', '').repeat(2);
    expect(linesOf(cuesOf([segment], {}, { labels: false }))).toEqual([[line]]);
    const thai = said('Speaker 1', 0, 'สวัสดี ครับ OK ครับ');
    expect(linesOf(cuesOf([thai], {}, { labels: false }))).toEqual([['สวัสดีครับ OK ครับ']]);
  });

  it('is broken after the punctuation of such scripts', () => {
    const first = '我们 在 河边 的 一家 小 茶馆 里 坐 了 很 久 很 久 ，';
    const second = '等 着 外面 的 雨 停 下来 以后 再 走 回家 去 吃 一 顿 很 晚 的 晚饭 。';
    const lines = linesOf(cuesOf([said('Speaker 1', 0, first, second)], {}, { labels: false }));
    expect(lines).toEqual([[first, second].map((line) => line.replaceAll(' ', ''))]);
  });

  it('cuts a name in a label, not the words', () => {
    expect(labelOf('Katie')).toBe('Katie: ');
    expect(labelOf('The Right Honourable the Lord Mayor of Parramatta')).toBe('The Right Honourable th…: ');
    const name = 'x'.repeat(80);
    const cues = cuesOf([said('Speaker 1', 0, 'hello')], { 'Speaker 1': name }, { labels: true });
    expect(linesOf(cues).flat()[0]).toMatch(/: hello$/);
  });
});

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A conversation of words of all lengths, at all speeds, with pauses, interruptions and talking at the same time. */
function conversation(seed: number): TranscriptSegment[] {
  const random = randomFrom(seed);
  const pace = 0.02 + random() * 0.1;
  const voices = 1 + Math.floor(random() * 4);
  const segments: TranscriptSegment[] = [];
  let at = random() * 5;
  let count = 0;
  for (let turn = 0; turn < 12; turn++) {
    const speaker = `Speaker ${1 + Math.floor(random() * voices)}`;
    const words: TranscriptWord[] = [];
    for (let left = 1 + Math.floor(random() ** 2 * 60); left > 0; left--) {
      const letters = 1 + Math.floor(random() ** 3 * 30);
      const end = random() < 0.15 ? [',', '.', '?', ':'][Math.floor(random() * 4)]! : '';
      const text = `${String(count++)}${'x'.repeat(letters)}`.slice(0, 30) + end;
      const seconds = 0.02 + text.length * pace;
      words.push({ text, start: at, end: at + seconds, confidence: null });
      at += seconds + (random() < 0.08 ? random() * 3 : 0);
    }
    segments.push({
      ...{ start: words[0]!.start, end: words.at(-1)!.end, speaker, words, confidence: null },
      text: words.map(({ text }) => text).join(' '),
    });
    // Somebody may begin before the other one has ended.
    at =
      Math.max(words.at(-1)!.start + 0.01, at - (random() < 0.2 ? 0.3 : 0)) +
      (random() < 0.3 ? random() * 4 : 0);
  }
  return segments;
}

describe.each([true, false])('of 100 conversations, with labels: %p,', (labels) => {
  const conversations = Array.from({ length: 100 }, (_, seed) => {
    const segments = conversation(seed + 1);
    return {
      segments,
      cues: cuesOf(segments, {}, { labels }),
      words: segments.flatMap(({ words }) => words),
    };
  });

  it('every word is there once, in order, under its voice', () => {
    for (const { segments, cues } of conversations) {
      const shown = cues.flatMap(({ parts }) =>
        parts.flatMap(({ name, lines, isNewVoice }) => {
          const text = lines.join(' ');
          const words = labels && isNewVoice ? text.replace(labelOf(name), '') : text;
          return words.split(' ').map((word) => `${name} ${word}`);
        }),
      );
      expect(shown).toEqual(
        segments.flatMap(({ speaker, words }) => words.map(({ text }) => `${speaker} ${text}`)),
      );
    }
  });

  it('no cue has more than two lines, no line more than 42 characters', () => {
    for (const { cues } of conversations)
      for (const lines of linesOf(cues)) {
        expect(lines.length).toBeLessThanOrEqual(2);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(LINE_CHARACTERS);
      }
  });

  it('cues follow each other with two frames between them, each for seven seconds at most', () => {
    for (const { cues } of conversations)
      cues.forEach(({ start, end }, index) => {
        expect(end - start).toBeLessThanOrEqual(LONGEST_SECONDS + 1e-9);
        expect(end).toBeGreaterThan(start);
        const next = cues[index + 1];
        if (next) expect(next.start - end).toBeGreaterThanOrEqual(GAP_SECONDS - 1e-9);
      });
  });

  it('a cue is shorter than 5/6 s, or faster than 20 characters a second, only where the next one comes at once', () => {
    let hasty = 0;
    let all = 0;
    for (const { cues } of conversations)
      cues.forEach(({ start, end, parts }, index) => {
        all++;
        const characters = parts.flatMap(({ lines }) => lines).join(' ').length;
        const isHasty =
          end - start < SHORTEST_SECONDS - 1e-9 || characters / (end - start) > MOST_CHARACTERS_PER_SECOND;
        if (!isHasty) return;
        hasty++;
        const next = cues[index + 1];
        const isHemmedIn = next && next.start - end < GAP_SECONDS + 1e-6;
        expect(isHemmedIn || end - start > LONGEST_SECONDS - 1e-6).toBe(true);
      });
    expect(hasty / all).toBeLessThan(0.5);
  });

  it('no cue goes on over a long pause of its voice', () => {
    for (const { cues, words } of conversations) {
      let at = 0;
      for (const { parts } of cues)
        for (const { name, lines, isNewVoice } of parts) {
          const text = lines.join(' ');
          const count = (labels && isNewVoice ? text.replace(labelOf(name), '') : text).split(' ').length;
          const own = words.slice(at, (at += count));
          own
            .slice(1)
            .forEach((word, index) => expect(word.start - own[index]!.end).toBeLessThan(LONG_PAUSE_SECONDS));
        }
    }
  });
});

it('ten hours of speech are cut within moments', () => {
  const words = Array.from({ length: 90_000 }, (_, index) => ({
    ...{ text: `word${index % 97}`, start: index * 0.4, end: index * 0.4 + 0.35, confidence: null },
  }));
  const segments = Array.from({ length: 1_500 }, (_, index) => {
    const own = words.slice(index * 60, index * 60 + 60);
    const text = own.map((word) => word.text).join(' ');
    return {
      start: own[0]!.start,
      end: own.at(-1)!.end,
      speaker: 'Speaker 1',
      text,
      confidence: null,
      words: own,
    };
  });
  // Of the processor alone: what else the machine does is no matter.
  const before = process.cpuUsage();
  expect(cuesOf(segments, {}, { labels: true }).length).toBeGreaterThan(5_000);
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  console.log(`the subtitles of ten hours took ${seconds.toFixed(2)} s of processor time`);
  expect(seconds).toBeLessThan(3);
});
