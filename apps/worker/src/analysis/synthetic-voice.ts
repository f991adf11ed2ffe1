import { samplesIn, SAMPLES_PER_SECOND } from '../audio/pcm';

/** Centre and width of the resonances of three vowels, hertz (means of Peterson and Barney's men, 1952). */
const VOWELS = {
  a: [
    [730, 90],
    [1090, 110],
    [2440, 170],
  ],
  i: [
    [270, 60],
    [2290, 100],
    [3010, 170],
  ],
  u: [
    [300, 60],
    [870, 100],
    [2240, 170],
  ],
} as const;

export type Vowel = keyof typeof VOWELS;

/**
 * A sung vowel of known pitch, for tests: harmonics under the vowel's resonances, 16 kHz mono.
 * @param hertz pitch at a time, seconds from the beginning
 * @param level amplitude of full scale, 0 to 1
 */
export function vowel(
  seconds: number,
  hertz: (time: number) => number,
  { level = 0.3, vowel: which = 'a' }: { level?: number; vowel?: Vowel } = {},
): Int16Array {
  const pcm = new Float64Array(samplesIn(seconds));
  let phase = 0;
  let gains: number[] = [];
  for (let index = 0; index < pcm.length; index++) {
    const pitch = hertz(index / SAMPLES_PER_SECOND);
    // The mouth moves slowly against the sound.
    if (index % 160 === 0) gains = gainsAt(pitch, which);
    phase += (2 * Math.PI * pitch) / SAMPLES_PER_SECOND;
    // The sine of each multiple from those of the two before it.
    const twice = 2 * Math.cos(phase);
    let before = 0;
    let sine = Math.sin(phase);
    let sum = 0;
    for (const one of gains) {
      sum += one * sine;
      const next = twice * sine - before;
      before = sine;
      sine = next;
    }
    pcm[index] = sum;
  }
  const rms = Math.sqrt(pcm.reduce((total, sample) => total + sample * sample, 0) / pcm.length);
  const scale = (level / Math.SQRT2 / rms) * 32767;
  return Int16Array.from(pcm, (sample) => Math.max(-32768, Math.min(32767, Math.round(sample * scale))));
}

function gainsAt(pitch: number, which: Vowel): number[] {
  return Array.from({ length: Math.floor(3500 / pitch) }, (_, index) => gain((index + 1) * pitch, which));
}

/** The source falls by 12 dB an octave and the lips give 6 of them back. */
function gain(hertz: number, which: Vowel): number {
  const resonances = VOWELS[which].map(([centre, width]) => 1 / (1 + ((hertz - centre) / width) ** 2));
  return (100 / hertz) * resonances.reduce((sum, one) => sum + one, 0.01);
}
