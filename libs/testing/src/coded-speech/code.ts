/**
 * Speech that a program can read without a doubt: a word is six pairs of tones, as telephones use them, one after the
 * other. What a platform loses, repeats or puts in another order is then known exactly, at the cost of no engine.
 */
export const SAMPLES_PER_SECOND = 16_000;

const LOW_HERTZ = [697, 770, 852, 941];
const HIGH_HERTZ = [1209, 1336, 1477, 1633];
const SYMBOL_SAMPLES = 800;
const TONE_SAMPLES = 560;
/** Loud and soft by turns, like syllables: a sound of one level is not taken for speech. */
const LOUDNESS = [1, 0.45, 0.8, 0.35, 0.9, 0.5];
const SYMBOLS = LOUDNESS.length;

export const WORD_SAMPLES = SYMBOLS * SYMBOL_SAMPLES;
/** Words are numbers from 0 to this, exclusive: five symbols of sixteen kinds, and one that checks them. */
export const WORDS = 16 ** (SYMBOLS - 1);
/** The least silence before a word: it begins where sound does. */
export const SHORTEST_GAP_SAMPLES = 800;

export function spelling(word: number): string {
  return `w${word.toString(16).padStart(SYMBOLS - 1, '0')}`;
}

/** Writes the samples of a word into `pcm`, from sample `at` on. */
export function speak(word: number, pcm: Int16Array, at: number): void {
  symbolsOf(word).forEach((symbol, place) => {
    const tones = TONES[symbol]!;
    for (let index = 0; index < TONE_SAMPLES; index++)
      pcm[at + place * SYMBOL_SAMPLES + index] = Math.round(LOUDNESS[place]! * tones[index]!);
  });
}

export interface CodedWord {
  /** `broken` for a word that was cut or not understood. */
  readonly text: string;
  /** Seconds from the beginning of the samples. */
  readonly start: number;
  readonly end: number;
}

/** What is said in 16 kHz mono samples. */
export function hear(pcm: Int16Array): CodedWord[] {
  const words: CodedWord[] = [];
  for (const at of onsets(pcm)) {
    const symbols = LOUDNESS.map((_, place) => symbolAt(pcm, at + place * SYMBOL_SAMPLES));
    words.push({
      text: understood(symbols),
      start: at / SAMPLES_PER_SECOND,
      end: Math.min(pcm.length, at + WORD_SAMPLES) / SAMPLES_PER_SECOND,
    });
  }
  return words;
}

const TONES = Array.from({ length: 16 }, (_, symbol) =>
  Float32Array.from({ length: TONE_SAMPLES }, (__, index) => {
    const angle = (2 * Math.PI * index) / SAMPLES_PER_SECOND;
    const fade = Math.min(1, index / 60, (TONE_SAMPLES - index) / 60);
    return (
      6_000 * fade * (Math.sin(LOW_HERTZ[symbol >> 2]! * angle) + Math.sin(HIGH_HERTZ[symbol & 3]! * angle))
    );
  }),
);

function symbolsOf(word: number): number[] {
  const symbols = Array.from(
    { length: SYMBOLS - 1 },
    (_, index) => (word >> (4 * (SYMBOLS - 2 - index))) & 15,
  );
  return [...symbols, checkOf(symbols)];
}

/** Weighted by place, so that the end of one word and the beginning of another do not make a third. */
function checkOf(symbols: readonly number[]): number {
  return symbols.reduce((sum, symbol, place) => sum + (2 * place + 3) * symbol, 7) & 15;
}

function understood(symbols: readonly (number | undefined)[]): string {
  const whole = symbols.filter((symbol) => symbol !== undefined);
  const said = whole.slice(0, -1);
  if (whole.length < SYMBOLS || checkOf(said) !== whole.at(-1)) return 'broken';
  return spelling(said.reduce((sum, symbol) => sum * 16 + symbol, 0));
}

const STEP_SAMPLES = 32;
/** Mean amplitude over a step. */
const AUDIBLE = 250;
/** Longer than the gap within a word. */
const PAUSE_SAMPLES = 480;

/** The samples at which sound begins after a pause, or at the very beginning. */
function* onsets(pcm: Int16Array): Generator<number> {
  let quietSamples = PAUSE_SAMPLES;
  for (let at = 0; at + STEP_SAMPLES <= pcm.length; at += STEP_SAMPLES) {
    let sum = 0;
    for (let index = at; index < at + STEP_SAMPLES; index++) sum += Math.abs(pcm[index]!);
    if (sum / STEP_SAMPLES < AUDIBLE) quietSamples += STEP_SAMPLES;
    else {
      if (quietSamples >= PAUSE_SAMPLES) yield at;
      quietSamples = 0;
    }
  }
}

/** The symbol whose tones sound from `at` on; undefined where none is clear. */
function symbolAt(pcm: Int16Array, at: number): number | undefined {
  if (at + TONE_SAMPLES > pcm.length) return undefined;
  const samples = pcm.subarray(at + 60, at + TONE_SAMPLES - 60);
  const low = strongest(LOW_HERTZ.map((hertz) => power(samples, hertz)));
  const high = strongest(HIGH_HERTZ.map((hertz) => power(samples, hertz)));
  return low === undefined || high === undefined ? undefined : 4 * low + high;
}

function strongest(powers: readonly number[]): number | undefined {
  const [first, second] = [...powers].sort((a, b) => b - a);
  return first! > 40_000 && first! > 4 * second! ? powers.indexOf(first!) : undefined;
}

/** Of one tone in some samples (Goertzel's algorithm). */
function power(samples: Int16Array, hertz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / SAMPLES_PER_SECOND);
  let before = 0;
  let last = 0;
  for (const sample of samples) {
    const next = sample + coefficient * last - before;
    before = last;
    last = next;
  }
  return (last * last + before * before - coefficient * last * before) / samples.length ** 2;
}
