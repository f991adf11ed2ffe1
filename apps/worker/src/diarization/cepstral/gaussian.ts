import { COEFFICIENTS } from './cepstrum';

const TRIANGLE = (COEFFICIENTS * (COEFFICIENTS + 1)) / 2;

/**
 * Frames drawn towards the average voice of the recording, so that a second and a half of speech gives a
 * covariance that can be inverted. Features are normalised, hence the average covariance is about identity.
 */
const PRIOR_FRAMES = 12;

/** Sufficient statistics of a full-covariance Gaussian over frames: they add up. */
export class GaussianStatistics {
  frames = 0;
  private readonly sums = new Float64Array(COEFFICIENTS);
  /** Lower triangle of the sum of outer products, row after row. */
  private readonly products = new Float64Array(TRIANGLE);
  private cachedLogDeterminant: number | undefined;

  static of(coefficients: Float32Array, fromFrame: number, toFrame: number): GaussianStatistics {
    const statistics = new GaussianStatistics();
    for (let frame = fromFrame; frame < toFrame; frame++) {
      const at = frame * COEFFICIENTS;
      let cell = 0;
      for (let row = 0; row < COEFFICIENTS; row++) {
        const value = coefficients[at + row]!;
        statistics.sums[row]! += value;
        for (let column = 0; column <= row; column++) {
          statistics.products[cell++]! += value * coefficients[at + column]!;
        }
      }
    }
    statistics.frames = toFrame - fromFrame;
    return statistics;
  }

  add(other: GaussianStatistics): void {
    this.frames += other.frames;
    for (let i = 0; i < COEFFICIENTS; i++) this.sums[i]! += other.sums[i]!;
    for (let i = 0; i < TRIANGLE; i++) this.products[i]! += other.products[i]!;
    this.cachedLogDeterminant = undefined;
  }

  /** Logarithm of the determinant of the covariance. */
  get logDeterminant(): number {
    this.cachedLogDeterminant ??= logDeterminant(this.frames, this.sums, this.products, NOTHING);
    return this.cachedLogDeterminant;
  }

  /** That of both together, without making them one. */
  jointLogDeterminant(other: GaussianStatistics): number {
    return logDeterminant(this.frames + other.frames, this.sums, this.products, other);
  }
}

/**
 * How much likelier the frames of two groups are under a Gaussian each than under one for both: the
 * generalised likelihood ratio inside the Bayesian information criterion of S. S. Chen and P. S.
 * Gopalakrishnan, "Speaker, Environment and Channel Change Detection and Clustering via the Bayesian
 * Information Criterion", DARPA Broadcast News Workshop 1998.
 */
export function likelihoodRatio(a: GaussianStatistics, b: GaussianStatistics): number {
  const joint = a.jointLogDeterminant(b);
  return 0.5 * (a.frames * (joint - a.logDeterminant) + b.frames * (joint - b.logDeterminant));
}

/** The criterion's price of a second Gaussian: half its parameters times the logarithm of the frames. */
export function secondGaussianPenalty(frames: number): number {
  return 0.5 * (COEFFICIENTS + TRIANGLE) * Math.log(frames);
}

const NOTHING = new GaussianStatistics();
const factor = new Float64Array(TRIANGLE);
const mean = new Float64Array(COEFFICIENTS);

function logDeterminant(
  frames: number,
  sums: Float64Array,
  products: Float64Array,
  other: GaussianStatistics,
): number {
  const { sums: otherSums, products: otherProducts } = other as unknown as {
    sums: Float64Array;
    products: Float64Array;
  };
  for (let i = 0; i < COEFFICIENTS; i++) mean[i] = (sums[i]! + otherSums[i]!) / Math.max(1, frames);
  // Cholesky factor, row by row, of the covariance; the determinant is the squared product of its diagonal.
  const scale = 1 / (frames + PRIOR_FRAMES);
  let sum = 0;
  let cell = 0;
  for (let row = 0, rowStart = 0; row < COEFFICIENTS; rowStart += ++row) {
    for (let column = 0, columnStart = 0; column <= row; columnStart += ++column) {
      let value = (products[cell]! + otherProducts[cell]! - frames * mean[row]! * mean[column]!) * scale;
      if (row === column) value += PRIOR_FRAMES * scale;
      for (let k = 0; k < column; k++) value -= factor[rowStart + k]! * factor[columnStart + k]!;
      if (row === column) {
        const diagonal = Math.sqrt(Math.max(value, 1e-9));
        factor[cell] = diagonal;
        sum += 2 * Math.log(diagonal);
      } else factor[cell] = value / factor[columnStart + column]!;
      cell++;
    }
  }
  return sum;
}
