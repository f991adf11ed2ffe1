import { samplesIn, SAMPLES_PER_SECOND } from './pcm';

/** Sounds of known shape for tests. Samples are 16 kHz mono; levels are amplitudes of full scale, 0 to 1. */

/** Numbers from 0 to 1 that are the same in every run (George Marsaglia's xorshift, 32 bits). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export function silence(seconds: number): Int16Array {
  return new Int16Array(samplesIn(seconds));
}

export function tone(seconds: number, hertz: number, level = 0.3): Int16Array {
  return sound(seconds, (time) => level * Math.sin(2 * Math.PI * hertz * time));
}

export function noise(seconds: number, level: number, seed = 7): Int16Array {
  const random = seededRandom(seed);
  return sound(seconds, () => level * (2 * random() - 1));
}

/** A voiced buzz that rises and falls four times a second, as syllables do. */
export function syllables(seconds: number, pitchHertz = 120, level = 0.3): Int16Array {
  return sound(seconds, (time) => {
    const envelope = Math.sin(Math.PI * 4 * time) ** 2;
    let buzz = 0;
    for (let harmonic = 1; harmonic <= 20; harmonic++) {
      const hertz = harmonic * pitchHertz;
      // Two broad resonances stand for a vowel.
      const gain = 1 / (1 + ((hertz - 600) / 200) ** 2) + 0.5 / (1 + ((hertz - 1500) / 300) ** 2);
      buzz += gain * Math.sin(2 * Math.PI * hertz * time);
    }
    return (level * envelope * buzz) / 2;
  });
}

export function joined(...parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function mixed(a: Int16Array, b: Int16Array): Int16Array {
  return a.map((sample, index) => Math.max(-32768, Math.min(32767, sample + (b[index] ?? 0))));
}

function sound(seconds: number, at: (time: number) => number): Int16Array {
  return Int16Array.from({ length: samplesIn(seconds) }, (_, index) =>
    Math.max(-32768, Math.min(32767, Math.round(at(index / SAMPLES_PER_SECOND) * 32767))),
  );
}
