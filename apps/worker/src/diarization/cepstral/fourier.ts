/**
 * Power spectra by the radix-2 decimation-in-time Fourier transform of J. W. Cooley and J. W. Tukey, "An
 * Algorithm for the Machine Calculation of Complex Fourier Series", Mathematics of Computation 19 (1965).
 */
export class PowerSpectrum {
  private readonly real: Float64Array;
  private readonly imaginary: Float64Array;
  private readonly reversed: Uint32Array;
  private readonly cosine: Float64Array;
  private readonly sine: Float64Array;

  /** @param size number of points; a power of two. */
  constructor(readonly size: number) {
    const bits = Math.log2(size);
    if (!Number.isInteger(bits))
      throw new RangeError(`The size of a transform must be a power of two, not ${size}`);
    this.real = new Float64Array(size);
    this.imaginary = new Float64Array(size);
    this.reversed = Uint32Array.from({ length: size }, (_, index) => {
      let mirrored = 0;
      for (let bit = 0; bit < bits; bit++) if (index & (1 << bit)) mirrored |= 1 << (bits - 1 - bit);
      return mirrored;
    });
    this.cosine = Float64Array.from({ length: size / 2 }, (_, index) =>
      Math.cos((2 * Math.PI * index) / size),
    );
    this.sine = Float64Array.from(
      { length: size / 2 },
      (_, index) => -Math.sin((2 * Math.PI * index) / size),
    );
  }

  /**
   * @param signal at most `size` real samples; what is missing counts as zero.
   * @param power receives the squared magnitude of bins 0 to size / 2.
   */
  compute(signal: Float64Array, power: Float64Array): void {
    const { size, real, imaginary, reversed, cosine, sine } = this;
    for (let index = 0; index < size; index++) {
      real[reversed[index]!] = signal[index] ?? 0;
      imaginary[index] = 0;
    }
    for (let span = 1; span < size; span *= 2) {
      const turn = size / (2 * span);
      for (let start = 0; start < size; start += 2 * span) {
        for (let offset = 0; offset < span; offset++) {
          const upper = start + offset;
          const lower = upper + span;
          const wr = cosine[offset * turn]!;
          const wi = sine[offset * turn]!;
          const tr = real[lower]! * wr - imaginary[lower]! * wi;
          const ti = real[lower]! * wi + imaginary[lower]! * wr;
          real[lower] = real[upper]! - tr;
          imaginary[lower] = imaginary[upper]! - ti;
          real[upper]! += tr;
          imaginary[upper]! += ti;
        }
      }
    }
    for (let bin = 0; bin <= size / 2; bin++) power[bin] = real[bin]! ** 2 + imaginary[bin]! ** 2;
  }
}
