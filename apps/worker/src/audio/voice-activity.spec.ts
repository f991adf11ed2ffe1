import { joined, mixed, noise, silence, syllables, tone } from './synthetic-sound';
import { detectSpeech, quietestSample } from './voice-activity';

describe('voice activity', () => {
  it.each([
    ['nothing at all', new Int16Array(0)],
    ['digital silence', silence(5)],
    ['hiss', noise(10, 0.1)],
    ['hum', tone(10, 50, 0.5)],
    ['a tone', tone(10, 440)],
    ['a beep in silence', joined(silence(2), tone(1, 1000), silence(2))],
    ['hiss that begins in the middle', joined(silence(4), noise(4, 0.2))],
    ['a click', joined(silence(2), noise(0.02, 0.9), silence(2))],
  ])('hears no speech in %s', (_, pcm) => {
    expect(detectSpeech(pcm)).toEqual([]);
  });

  it('keeps at least 0.3 s on each side of speech', () => {
    const [segment, ...others] = detectSpeech(joined(silence(2), syllables(3), silence(2)));
    expect(others).toEqual([]);
    expect(segment!.start).toBeLessThanOrEqual(1.75);
    expect(segment!.start).toBeGreaterThan(1.5);
    expect(segment!.end).toBeGreaterThanOrEqual(5.25);
    expect(segment!.end).toBeLessThan(5.6);
  });

  it('bridges pauses under 0.6 s and no longer ones', () => {
    const twice = (pauseSeconds: number) =>
      detectSpeech(joined(silence(1), syllables(2), silence(pauseSeconds), syllables(2), silence(1))).length;
    expect(twice(0.3)).toBe(1);
    expect(twice(1.2)).toBe(2);
  });

  it('finds speech in loud noise, and none before and after it', () => {
    const speech = joined(silence(4), syllables(3, 120, 0.4), silence(4));
    const segments = detectSpeech(mixed(speech, noise(11, 0.02)));
    expect(segments).toHaveLength(1);
    expect(segments[0]!.start).toBeGreaterThan(3.2);
    expect(segments[0]!.end).toBeLessThan(7.8);
  });

  it('finds a speaker 30 dB below the other', () => {
    const both = joined(silence(1), syllables(3, 120, 0.5), silence(1), syllables(3, 180, 0.016), silence(1));
    expect(detectSpeech(both)).toHaveLength(2);
  });

  it('cuts endless speech into pieces of at most 20 s that leave nothing out', () => {
    const segments = detectSpeech(joined(silence(1), syllables(65), silence(1)));
    expect(segments.length).toBeGreaterThanOrEqual(4);
    segments.forEach((segment, index) => {
      expect(segment.end - segment.start).toBeLessThanOrEqual(20);
      if (index > 0) expect(segment.start).toBe(segments[index - 1]!.end);
    });
  });

  it('never points outside the samples', () => {
    const pcm = syllables(1.2345);
    const last = detectSpeech(pcm).at(-1)!;
    expect(last.end * 16_000).toBeLessThanOrEqual(pcm.length);
  });

  it('finds the quietest place to cut', () => {
    const pcm = joined(syllables(3), silence(0.8), syllables(3));
    const seconds = quietestSample(pcm, 0, pcm.length) / 16_000;
    expect(seconds).toBeGreaterThan(3);
    expect(seconds).toBeLessThan(3.8);
  });
});
