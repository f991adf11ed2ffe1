import { noise, silence, tone } from '../../audio/synthetic-sound';
import { CepstralAnalysis, COEFFICIENTS } from './cepstrum';
import { PowerSpectrum } from './fourier';

describe('power spectrum', () => {
  it('agrees with the transform computed by its definition', () => {
    const size = 64;
    const signal = Float64Array.from(noise(size / 16_000, 0.5));
    const power = new Float64Array(size / 2 + 1);
    new PowerSpectrum(size).compute(signal, power);
    for (let bin = 0; bin <= size / 2; bin++) {
      let real = 0;
      let imaginary = 0;
      signal.forEach((value, index) => {
        real += value * Math.cos((2 * Math.PI * bin * index) / size);
        imaginary -= value * Math.sin((2 * Math.PI * bin * index) / size);
      });
      expect(power[bin]! / (real ** 2 + imaginary ** 2)).toBeCloseTo(1, 8);
    }
  });

  it('puts a tone into its bin', () => {
    const power = new Float64Array(257);
    new PowerSpectrum(512).compute(Float64Array.from(tone(512 / 16_000, 1000)), power);
    expect(power.indexOf(Math.max(...power))).toBe(32);
  });

  it('refuses a size that is not a power of two', () => {
    expect(() => new PowerSpectrum(400)).toThrow(RangeError);
  });
});

describe('cepstral analysis', () => {
  const coefficientsOf = (pcm: Int16Array) => {
    const coefficients = new Float32Array(COEFFICIENTS);
    new CepstralAnalysis().analyse(pcm, 2, coefficients, 0);
    return coefficients;
  };

  it('counts whole windows only', () => {
    expect(CepstralAnalysis.framesIn(399)).toBe(0);
    expect(CepstralAnalysis.framesIn(400)).toBe(1);
    expect(CepstralAnalysis.framesIn(16_000)).toBe(98);
  });

  it('does not change with loudness', () => {
    const quiet = coefficientsOf(noise(0.1, 0.1));
    coefficientsOf(noise(0.1, 0.4)).forEach((value, c) => expect(value).toBeCloseTo(quiet[c]!, 0));
  });

  it('gives finite values for digital silence', () => {
    coefficientsOf(silence(0.1)).forEach((value) => expect(Math.abs(value)).toBeLessThan(1e-6));
  });

  it('leans to one side for low sounds and to the other for high ones', () => {
    expect(coefficientsOf(tone(0.1, 200))[0]).toBeGreaterThan(0);
    expect(coefficientsOf(tone(0.1, 6000))[0]).toBeLessThan(0);
  });
});
