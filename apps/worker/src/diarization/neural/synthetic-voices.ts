import { seededRandom } from '../../audio/synthetic-sound';
import { FRAMES_PER_SECOND, type Piece, type Window } from './observation';

const DIMENSION = 192;

/** Someone speaks from when to when; seconds from the beginning of the recording. */
export interface Said {
  readonly person: number;
  readonly start: number;
  readonly end: number;
}

/**
 * What a perfect segmentation and an embedding with some noise would make of a conversation: windows of ten seconds,
 * every five, pieces of up to two seconds.
 * @param likeness mean cosine of two pieces of one person
 */
export function observed(said: readonly Said[], { likeness = 0.7, seed = 1 } = {}): Window[] {
  const random = seededRandom(seed);
  const people = new Map<number, Float32Array>();
  const end = Math.max(...said.map((turn) => turn.end));
  const windows: Window[] = [];
  let firstTurn = 0;
  for (let start = 0; start === 0 || start + 5 < end; start += 5) {
    while (said[firstTurn] && said[firstTurn]!.end < start - 60) firstTurn++;
    const within: Said[] = [];
    for (let index = firstTurn; index < said.length && said[index]!.start < start + 10; index++) {
      if (said[index]!.end > start) within.push(said[index]!);
    }
    const persons = [...new Set(within.map(({ person }) => person))];
    windows.push({
      start,
      voices: persons.map((person) => {
        if (!people.has(person)) people.set(person, direction(random));
        const voice = people.get(person)!;
        return within
          .filter((turn) => turn.person === person)
          .flatMap((turn) => piecesOf(turn, start))
          .map(({ from, to }): Piece => {
            const embedding = unit(mixed(voice, direction(random), likeness));
            return { runs: [from, to], alone: to - from, embedding };
          });
      }),
    });
  }
  return windows;
}

function piecesOf({ start, end }: Said, windowStart: number): { from: number; to: number }[] {
  const first = Math.max(0, Math.round((start - windowStart) * FRAMES_PER_SECOND));
  const last = Math.min(589, Math.round((end - windowStart) * FRAMES_PER_SECOND));
  const pieces = [];
  for (let from = first; from < last; from += 118) pieces.push({ from, to: Math.min(last, from + 118) });
  return pieces;
}

function direction(random: () => number): Float32Array {
  return unit(Float32Array.from({ length: DIMENSION }, () => random() + random() + random() - 1.5));
}

function mixed(voice: Float32Array, noise: Float32Array, likeness: number): Float32Array {
  return voice.map((value, index) => Math.sqrt(likeness) * value + Math.sqrt(1 - likeness) * noise[index]!);
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}
