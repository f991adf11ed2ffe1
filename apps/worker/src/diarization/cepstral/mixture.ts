import type { Breather } from '../breather';
import { COEFFICIENTS } from './cepstrum';

/**
 * Diagonal-covariance Gaussian mixture of one voice, fitted by expectation maximisation (A. P. Dempster,
 * N. M. Laird, D. B. Rubin, "Maximum Likelihood from Incomplete Data via the EM Algorithm", Journal of the
 * Royal Statistical Society B 39, 1977). Deterministic: the same frames give the same mixture.
 */
export class Mixture {
  private readonly means: Float64Array;
  private readonly inverseVariances: Float64Array;
  private readonly logConstants: Float64Array;
  private readonly scratch: Float64Array;

  private constructor(private readonly components: number) {
    this.means = new Float64Array(components * COEFFICIENTS);
    this.inverseVariances = new Float64Array(components * COEFFICIENTS).fill(1);
    this.logConstants = new Float64Array(components);
    this.scratch = new Float64Array(components);
  }

  /**
   * @param coefficients normalised frames, 19 values each.
   * @param frames indices of the frames to learn from; at least one.
   */
  static async fit(
    coefficients: Float32Array,
    frames: Uint32Array,
    components: number,
    breather: Breather,
  ): Promise<Mixture> {
    const mixture = new Mixture(components);
    // Begin with means spread over the frames along the recording, and the variance of all.
    for (let k = 0; k < components; k++) {
      const from = Math.floor((k * frames.length) / components);
      const to = Math.max(from + 1, Math.floor(((k + 1) * frames.length) / components));
      for (let c = 0; c < COEFFICIENTS; c++) {
        let sum = 0;
        for (let i = from; i < to; i++)
          sum += coefficients[frames[Math.min(i, frames.length - 1)]! * COEFFICIENTS + c]!;
        mixture.means[k * COEFFICIENTS + c] = sum / (to - from);
      }
    }
    mixture.logConstants.fill(-Math.log(components));
    for (let round = 0; round < ROUNDS; round++) {
      await breather.breathe();
      mixture.improve(coefficients, frames);
    }
    return mixture;
  }

  /** Logarithm of the density at a frame, up to the constant that all mixtures share. */
  logDensity(coefficients: Float32Array, frame: number): number {
    const { components, means, inverseVariances, logConstants, scratch } = this;
    const at = frame * COEFFICIENTS;
    let most = -Infinity;
    for (let k = 0; k < components; k++) {
      const base = k * COEFFICIENTS;
      let distance = 0;
      for (let c = 0; c < COEFFICIENTS; c++) {
        const difference = coefficients[at + c]! - means[base + c]!;
        distance += difference * difference * inverseVariances[base + c]!;
      }
      scratch[k] = logConstants[k]! - 0.5 * distance;
      if (scratch[k]! > most) most = scratch[k]!;
    }
    let sum = 0;
    for (let k = 0; k < components; k++) sum += Math.exp(scratch[k]! - most);
    return most + Math.log(sum);
  }

  private improve(coefficients: Float32Array, frames: Uint32Array): void {
    const { components, means, inverseVariances, logConstants, scratch } = this;
    const weights = new Float64Array(components);
    const sums = new Float64Array(components * COEFFICIENTS);
    const squares = new Float64Array(components * COEFFICIENTS);
    for (const frame of frames) {
      const density = this.logDensity(coefficients, frame);
      const at = frame * COEFFICIENTS;
      for (let k = 0; k < components; k++) {
        const share = Math.exp(scratch[k]! - density);
        if (share < 1e-4) continue;
        weights[k]! += share;
        for (let c = 0; c < COEFFICIENTS; c++) {
          const value = coefficients[at + c]!;
          sums[k * COEFFICIENTS + c]! += share * value;
          squares[k * COEFFICIENTS + c]! += share * value * value;
        }
      }
    }
    for (let k = 0; k < components; k++) {
      const weight = weights[k]!;
      if (weight < 2) {
        logConstants[k] = -Infinity;
        continue;
      }
      let logVolume = 0;
      for (let c = 0; c < COEFFICIENTS; c++) {
        const i = k * COEFFICIENTS + c;
        means[i] = sums[i]! / weight;
        // A few frames' worth of the recording's own variance keeps a component from shrinking to a point.
        const variance = Math.max(0, squares[i]! / weight - means[i] ** 2);
        const kept = (variance * weight + PRIOR_FRAMES) / (weight + PRIOR_FRAMES);
        inverseVariances[i] = 1 / kept;
        logVolume += Math.log(kept);
      }
      logConstants[k] = Math.log(weight / frames.length) - 0.5 * logVolume;
    }
  }
}

const PRIOR_FRAMES = 10;
const ROUNDS = 6;
