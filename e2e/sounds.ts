/** Sounds in which nobody speaks: 16 kHz, one channel, -1 to 1. */
const SAMPLES_PER_SECOND = 16_000;

type Random = () => number;

function sound(seconds: number, at: (time: number, index: number) => number): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * SAMPLES_PER_SECOND) }, (_, index) =>
    at(index / SAMPLES_PER_SECOND, index),
  );
}

const sine = (hertz: number, time: number) => Math.sin(2 * Math.PI * hertz * time);

export const silence = (seconds: number) => sound(seconds, () => 0);

export const whiteNoise = (seconds: number, random: Random) => sound(seconds, () => 0.2 * (2 * random() - 1));

/** Sixteen sources of which the second is renewed half as often as the first, the third half as often again (Voss). */
export function pinkNoise(seconds: number, random: Random): Float32Array {
  const sources = Array.from({ length: 16 }, () => 2 * random() - 1);
  let sum = sources.reduce((all, source) => all + source, 0);
  return sound(seconds, (_, index) => {
    const renewed = Math.min(15, index === 0 ? 15 : 31 - Math.clz32(index & -index));
    sum -= sources[renewed]!;
    sources[renewed] = 2 * random() - 1;
    sum += sources[renewed];
    return 0.05 * sum;
  });
}

export const hum = (seconds: number) =>
  sound(seconds, (time) => 0.2 * sine(50, time) + 0.1 * sine(100, time) + 0.05 * sine(150, time));

/** Two tones without end for the first half; then one, half a second on and half a second off. */
export const telephoneTones = (seconds: number) =>
  sound(seconds, (time) => {
    if (time < seconds / 2) return 0.2 * (sine(350, time) + sine(440, time));
    return time % 1 < 0.5 ? 0.3 * sine(425, time) : 0;
  });

const CHORDS = [
  [220, 277.18, 329.63],
  [196, 246.94, 293.66],
  [174.61, 220, 261.63],
  [164.81, 207.65, 246.94],
];

/** Plucked chords of two seconds, two notes of a melody a second, a bass drum and a hi-hat by turns. */
export function music(seconds: number, random: Random): Float32Array {
  const pcm = silence(seconds);
  const add = (from: number, length: number, at: (time: number) => number) => {
    const end = Math.min(pcm.length, Math.round((from + length) * SAMPLES_PER_SECOND));
    const first = Math.round(from * SAMPLES_PER_SECOND);
    for (let index = first; index < end; index++) pcm[index]! += at((index - first) / SAMPLES_PER_SECOND);
  };
  for (let beat = 0; beat < 2 * seconds; beat++) {
    if (beat % 4 === 0) {
      const chord = CHORDS[(beat / 4) % 4]!;
      add(
        beat / 2,
        2,
        (time) => 0.6 * Math.exp(-0.8 * time) * chord.reduce((sum, hertz) => sum + tone(hertz, 4, time), 0),
      );
    }
    const note = 440 * 2 ** (Math.floor(13 * random() - 5) / 12);
    add(beat / 2, 0.5, (time) => Math.exp(-4 * time) * tone(note, 7, time));
    if (beat % 2 === 0) add(beat / 2, 0.25, (time) => 0.3 * Math.exp(-30 * time) * sine(60, time));
    else add(beat / 2, 0.25, (time) => 0.15 * Math.exp(-40 * time) * (2 * random() - 1));
  }
  return pcm;
}

/** A note with its overtones, struck softly. */
function tone(hertz: number, overtones: number, time: number): number {
  let sum = 0;
  for (let multiple = 1; multiple <= overtones; multiple++) sum += sine(hertz * multiple, time) / multiple;
  return 0.12 * Math.min(1, 60 * time) * sum;
}
