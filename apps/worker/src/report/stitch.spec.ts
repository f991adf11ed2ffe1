import type { TranscriptWord } from '@currawong/contracts';
import { seededRandom } from '../audio/synthetic-sound';
import { stitched, type HeardStretch } from './stitch';

/** Words that begin at these seconds, each 0.3 s long: `"one@1 two@1.5"`. */
function words(text: string): TranscriptWord[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((part) => {
      const [spoken, at] = part.split('@');
      return { text: spoken!, start: Number(at), end: Number(at) + 0.3, confidence: null };
    });
}

const stretch = (startSeconds: number, endSeconds: number, text: string): HeardStretch => ({
  startSeconds,
  endSeconds,
  words: words(text),
});
const textOf = (stretches: HeardStretch[]) =>
  stitched(stretches)
    .map(({ text }) => text)
    .join(' ');

it('stretches that only touch are put one behind the other', () => {
  expect(textOf([stretch(0, 10, 'a@1 b@9.6'), stretch(10, 20, 'c@10.1'), stretch(20, 30, 'd@21')])).toBe(
    'a b c d',
  );
});

it('a word that both sides heard comes once', () => {
  expect(textOf([stretch(0, 10, 'a@5 b@7 c@8 d@9'), stretch(6, 16, 'b@7 c@8 d@9 e@11')])).toBe('a b c d e');
});

it('half a word at the end of either side gives way to the whole one', () => {
  expect(
    textOf([
      stretch(0, 10, 'we@5 hold@6.5 these@7.5 truths@8.5 sell@9.7'),
      stretch(6, 16, 'ould@6.5 these@7.5 truths@8.5 self@9.7 evident@10.4'),
    ]),
  ).toBe('we hold these truths self evident');
});

it('capitals and punctuation do not make two words of one', () => {
  expect(
    textOf([stretch(0, 10, 'Good@5 morning,@7.9 every@9.8'), stretch(6, 16, 'Morning.@7.9 Everybody@9.8')]),
  ).toBe('Good morning, Everybody');
});

it.each([0, 0.2, -0.2])('a word said four times in a row is said four times (times %d s apart)', (apart) => {
  const at = (seconds: number) => (seconds + apart).toFixed(2);
  const right = `no@${at(7)} no@${at(7.5)} no@${at(8)} no@${at(8.5)} stop@${at(11)}`;
  expect(textOf([stretch(0, 10, 'oh@4 no@7 no@7.5 no@8 no@8.5'), stretch(6, 16, right)])).toBe(
    'oh no no no no stop',
  );
});

it('a word said without end is neither lost nor doubled, where each side is cut inside it', () => {
  const all = Array.from({ length: 40 }, (_, index) => `no@${(index * 0.5).toFixed(1)}`);
  const upTo = all.slice(0, 20).join(' ');
  const from = all.slice(12).join(' ');
  expect(stitched([stretch(0, 10, upTo), stretch(6, 20, from)])).toHaveLength(40);
});

it('where nothing is heard alike, each side has the words on its side of the border', () => {
  expect(textOf([stretch(0, 10, 'a@5 b@7 c@9'), stretch(6, 16, 'x@7.1 y@8.9 z@12')])).toBe('a b y z');
});

it('where nothing is heard alike and the border lies in a word, the word comes once', () => {
  expect(textOf([stretch(0, 10, 'a@5 bee@7.85 c@9'), stretch(6, 16, 'bead@7.9 z@12')])).toBe('a bead c z');
  expect(textOf([stretch(0, 10, 'a@5 bee@7.9 c@9.5'), stretch(6, 16, 'q@6.1 bead@7.8 y@9 z@12')])).toBe(
    'a q bead y c z',
  );
});

it.each([
  ['left', [stretch(0, 10, 'a@1'), stretch(6, 16, 'b@7 c@9 d@11')], 'a b c d'],
  ['right', [stretch(0, 10, 'a@1 b@7 c@9'), stretch(6, 16, 'd@11')], 'a b c d'],
  ['altogether left', [stretch(0, 10, ''), stretch(6, 16, 'b@7 c@9')], 'b c'],
  ['altogether right', [stretch(0, 10, 'b@7 c@9'), stretch(6, 16, '')], 'b c'],
  ['both', [stretch(0, 10, 'a@1'), stretch(6, 16, 'd@11')], 'a d'],
] as const)('what only one side heard of an overlap is kept: the %s side is empty', (_, stretches, text) => {
  expect(textOf([...stretches])).toBe(text);
});

it('what only one side heard is kept where the other was silent meanwhile, with nothing alike', () => {
  expect(textOf([stretch(0, 10, 'a@6.2'), stretch(6, 16, 'x@7 y@7.5 z@12')])).toBe('a x y z');
  expect(textOf([stretch(0, 10, 'a@8.5 b@9'), stretch(6, 16, 'x@6.5 z@12')])).toBe('x a b z');
});

it('a stretch shorter than the overlaps on both its sides loses nothing', () => {
  expect(
    textOf([
      stretch(0, 10, 'a@5 b@8 c@9'),
      stretch(6, 11, 'b@8 c@9 d@10.3'),
      stretch(9.5, 20, 'd@10.3 e@12'),
    ]),
  ).toBe('a b c d e');
});

it('words stay in order of time and do not run into each other, however the two sides’ times differ', () => {
  const joined = stitched([stretch(0, 10, 'a@7.2 b@8.0 c@8.5'), stretch(6, 16, 'b@7.6 c@7.9 d@8.2 e@11')]);
  expect(joined.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd', 'e']);
  joined.forEach((word, index) => {
    expect(word.end).toBeGreaterThanOrEqual(word.start);
    if (index > 0) expect(word.start).toBeGreaterThan(joined[index - 1]!.end - 1e-9);
  });
});

it('loses and doubles no word of talk that is cut anywhere, heard with times off by up to 0.2 s and broken at the cuts', () => {
  const random = seededRandom(11);
  const vocabulary = ['no', 'yes', 'the', 'a', 'gum', 'tree', 'so', 'and'];
  for (let round = 0; round < 300; round++) {
    const talk: TranscriptWord[] = [];
    for (let at = 0; at < 39;) {
      const seconds = 0.15 + 0.45 * random();
      talk.push({
        text: vocabulary[Math.floor(random() * 8)]!,
        start: at,
        end: at + seconds,
        confidence: null,
      });
      at += seconds + (random() < 0.2 ? 0.3 : 0);
    }
    // An engine's times are off, but its words are in order.
    const heard = (from: number, to: number): HeardStretch => {
      let earliest = from;
      const spoken = talk.filter(({ start, end }) => end > from && start < to);
      return {
        startSeconds: from,
        endSeconds: to,
        words: spoken.map((word) => {
          const isBroken = word.start < from || word.end > to;
          const start = Math.max(earliest, word.start + 0.4 * random() - 0.2);
          const end = Math.max(start + 0.02, word.end + 0.4 * random() - 0.2);
          earliest = start + 0.02;
          return { ...word, text: isBroken ? 'hm' : word.text, start, end };
        }),
      };
    };
    const first = 16 + 8 * random();
    const parts = stitched([heard(0, first + 4), heard(first - 4, 40)]).map(({ text }) => text);
    expect(parts).toEqual(talk.map(({ text }) => text));
  }
});
