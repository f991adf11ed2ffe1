import { SAMPLES_PER_SECOND } from '../../audio/pcm';
import { PowerSpectrum } from './fourier';

/** Cepstral coefficients per frame. */
export const COEFFICIENTS = 19;
export const FRAMES_PER_SECOND = 100;

const FRAME_SAMPLES = SAMPLES_PER_SECOND / FRAMES_PER_SECOND;
const WINDOW_SAMPLES = 400;
const TRANSFORM_SAMPLES = 512;
const FILTERS = 30;
const LOWEST_HERTZ = 80;
const HIGHEST_HERTZ = 7600;

/**
 * Mel-frequency cepstral coefficients 1 to 19 (the zeroth, loudness, says nothing about who speaks), after
 * S. B. Davis and P. Mermelstein, "Comparison of Parametric Representations for Monosyllabic Word
 * Recognition", IEEE Transactions on Acoustics, Speech, and Signal Processing 28 (1980): pre-emphasis 0.97,
 * Hamming window of 25 ms every 10 ms, triangular filters even on the mel scale of D. O'Shaughnessy (2595
 * log10(1 + f/700)), logarithm, cosine transform.
 */
export class CepstralAnalysis {
  private readonly spectrum = new PowerSpectrum(TRANSFORM_SAMPLES);
  private readonly windowed = new Float64Array(WINDOW_SAMPLES);
  private readonly power = new Float64Array(TRANSFORM_SAMPLES / 2 + 1);
  private readonly logEnergies = new Float64Array(FILTERS);

  /** How many whole frames lie in that many samples. */
  static framesIn(samples: number): number {
    return Math.max(0, Math.floor((samples - WINDOW_SAMPLES) / FRAME_SAMPLES) + 1);
  }

  /**
   * @param pcm 16 kHz mono samples.
   * @param frame which frame of them, counted in steps of 10 ms.
   * @param coefficients receives the 19 values at `offset`.
   */
  analyse(pcm: Int16Array, frame: number, coefficients: Float32Array, offset: number): void {
    const from = frame * FRAME_SAMPLES;
    for (let i = 0; i < WINDOW_SAMPLES; i++) {
      const sample = pcm[from + i]! - 0.97 * (pcm[from + i - 1] ?? pcm[from + i]!);
      this.windowed[i] = sample * HAMMING[i]!;
    }
    this.spectrum.compute(this.windowed, this.power);
    FILTER_BANK.forEach(({ firstBin, weights }, filter) => {
      let energy = 0;
      for (let i = 0; i < weights.length; i++) energy += weights[i]! * this.power[firstBin + i]!;
      // The floor is about the energy of rounding to 16 bits, so digital silence gives no outliers.
      this.logEnergies[filter] = Math.log(energy + 50);
    });
    for (let c = 0; c < COEFFICIENTS; c++) {
      let sum = 0;
      for (let filter = 0; filter < FILTERS; filter++)
        sum += COSINES[c * FILTERS + filter]! * this.logEnergies[filter]!;
      coefficients[offset + c] = sum;
    }
  }
}

const HAMMING = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, i) => 0.54 - 0.46 * Math.cos((2 * Math.PI * i) / (WINDOW_SAMPLES - 1)),
);

/** Rows of the type-II cosine transform, without the zeroth. */
const COSINES = Float64Array.from({ length: COEFFICIENTS * FILTERS }, (_, i) => {
  const row = Math.floor(i / FILTERS) + 1;
  return Math.sqrt(2 / FILTERS) * Math.cos((Math.PI * row * ((i % FILTERS) + 0.5)) / FILTERS);
});

/** Triangles over the bins of the power spectrum, each reaching from its left to its right neighbour's centre. */
const FILTER_BANK = (() => {
  const mel = (hertz: number) => 2595 * Math.log10(1 + hertz / 700);
  const hertz = (mels: number) => 700 * (10 ** (mels / 2595) - 1);
  const step = (mel(HIGHEST_HERTZ) - mel(LOWEST_HERTZ)) / (FILTERS + 1);
  const centres = Array.from({ length: FILTERS + 2 }, (_, i) => hertz(mel(LOWEST_HERTZ) + i * step));
  const hertzPerBin = SAMPLES_PER_SECOND / TRANSFORM_SAMPLES;
  return Array.from({ length: FILTERS }, (_, filter) => {
    const [left, centre, right] = centres.slice(filter, filter + 3) as [number, number, number];
    const firstBin = Math.ceil(left / hertzPerBin);
    const weights: number[] = [];
    for (let bin = firstBin; bin * hertzPerBin < right; bin++) {
      const at = bin * hertzPerBin;
      weights.push(at <= centre ? (at - left) / (centre - left) : (right - at) / (right - centre));
    }
    return { firstBin, weights };
  });
})();
