import { hear, SAMPLES_PER_SECOND, SHORTEST_GAP_SAMPLES, speak, spelling, WORD_SAMPLES, WORDS } from './code';

/** Words one after the other with the shortest gaps. */
function spoken(words: readonly number[]): Int16Array {
  const each = WORD_SAMPLES + SHORTEST_GAP_SAMPLES;
  const pcm = new Int16Array(words.length * each);
  words.forEach((word, index) => speak(word, pcm, index * each));
  return pcm;
}

const words = Array.from({ length: 200 }, (_, index) => (index * 104_729) % WORDS);

it('hears what was spoken, at its time', () => {
  const heard = hear(spoken(words));
  expect(heard.map(({ text }) => text)).toEqual(words.map(spelling));
  heard.forEach(({ start }, index) => {
    const spokenAt = (index * (WORD_SAMPLES + SHORTEST_GAP_SAMPLES)) / SAMPLES_PER_SECOND;
    expect(Math.abs(start - spokenAt)).toBeLessThan(0.01);
  });
});

it('hears it in noise and at half the loudness', () => {
  const pcm = spoken(words).map((sample, index) => sample / 2 + ((index * 7919) % 400) - 200);
  expect(hear(pcm).map(({ text }) => text)).toEqual(words.map(spelling));
});

it('knows a word that was cut anywhere for a broken one', () => {
  const pcm = spoken([words[17]!]);
  for (let samples = 1600; samples < WORD_SAMPLES - 800; samples += 160) {
    expect(hear(pcm.subarray(0, samples)).map(({ text }) => text)).toEqual(['broken']);
    for (const { text } of hear(pcm.subarray(samples))) expect(text).toBe('broken');
  }
});

it('hears nothing in silence', () => {
  expect(hear(new Int16Array(32_000))).toEqual([]);
});
