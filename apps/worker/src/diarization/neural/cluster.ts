import type { Breather } from '../breather';
import { dot, mergeClosest, type Cluster, type Merge } from './agglomerate';
import { FRAMES_PER_SECOND, type Window } from './observation';

export interface ClusterOptions {
  /** Exactly so many people, where there are so many voices. */
  readonly count: number;
  /** Fewer where two of them sound like one. */
  readonly allowFewer: boolean;
  readonly breather: Breather;
}

/** A piece of speech with the person who says it: counted from 0, -1 where too little was heard. */
export interface Attributed {
  readonly runs: readonly number[];
  readonly person: number;
}

/** Of each window, in order, who says its pieces. */
export type Identities = readonly (readonly Attributed[])[];

/**
 * Finds the people of a recording from what its pieces of speech sound like. The ones heard well decide who there is;
 * then every piece is given to the person it is most like, where the other pieces of its voice have a say, and voices
 * of one window are rather different people.
 */
export async function identify(windows: readonly Window[], options: ClusterOptions): Promise<Identities> {
  const { breather, allowFewer } = options;
  const items = itemsOf(windows);
  const seconds = items.reduce((sum, item) => sum + item.seconds, 0);
  let people = await findPeople(wellHeard(items, options.count), options);
  people = await refined(windows, people, breather);
  while (allowFewer && people.length > 1) {
    const { a, b, cosine } = closestPair(people);
    if (cosine < (seconds < FEW_SECONDS ? ONE_VOICE_OF_FEW_SECONDS : ONE_VOICE)) break;
    people = await refined(
      windows,
      people.filter((_, index) => index !== Math.max(a, b)),
      breather,
    );
  }
  return attribute(windows, people, breather);
}

interface Item {
  readonly window: number;
  readonly voice: number;
  /** Seconds of speech that is heard alone. */
  readonly seconds: number;
  readonly embedding: Float32Array;
}

/** How alike the parts of one voice are at least, and two voices at most: see docs/decisions/0012-speakers.md. */
const ONE_VOICE = 0.6;
/** A few words of one voice differ as much as two voices do; what differs less than this is one. */
const FEW_SECONDS = 8;
const ONE_VOICE_OF_FEW_SECONDS = 0.3;
const REFINEMENTS = 2;
/** Speech alone that makes an embedding good, in seconds; the next where too few have the one before. */
const WELL_HEARD_SECONDS = [1, 0.5, 0];
/** Someone who has less of the speech than this is rather an outlier of someone else, unless there is nobody better. */
const LEAST_SHARES = [0.08, 0.04, 0.02, 0.01, 0];
const LEAST_SHARES_OF_ANY_NUMBER = [0.08, 0.04];
/** How much it counts that a voice as a whole is someone, for each of its pieces. */
const VOICE_SHARE = 0.15;
/** More than this many at once are first merged in groups of neighbours, because cost grows with the square. */
const AT_ONCE = 800;
const NEIGHBOURS = 200;
const LEFT_OF_NEIGHBOURS = 40;

function itemsOf(windows: readonly Window[]): Item[] {
  return windows.flatMap(({ voices }, window) =>
    voices.flatMap((pieces, voice) =>
      pieces.flatMap(({ alone, embedding }): Item[] =>
        embedding ? [{ window, voice, seconds: Math.max(1, alone) / FRAMES_PER_SECOND, embedding }] : [],
      ),
    ),
  );
}

function wellHeard(items: readonly Item[], count: number): readonly Item[] {
  for (const least of WELL_HEARD_SECONDS) {
    const enough = items.filter(({ seconds }) => seconds >= least);
    if (enough.length >= Math.max(3 * count, items.length / 3)) return enough;
  }
  return items;
}

async function findPeople(
  items: readonly Item[],
  { count, allowFewer, breather }: ClusterOptions,
): Promise<Float32Array[]> {
  const differ = (a: number, b: number) =>
    items[a]!.window === items[b]!.window && items[a]!.voice !== items[b]!.voice;
  let clusters = items.map(({ seconds, embedding }, index): Cluster => {
    return { members: [index], sum: embedding.map((value) => value * seconds), weight: seconds };
  });
  while (clusters.length > AT_ONCE) {
    const merged: Cluster[] = [];
    for (let first = 0; first < clusters.length; first += NEIGHBOURS) {
      const group = clusters.slice(first, first + NEIGHBOURS);
      const downTo = Math.ceil((group.length * LEFT_OF_NEIGHBOURS) / NEIGHBOURS);
      merged.push(...remaining(group, await mergeClosest(group, { differ, breather, downTo })));
    }
    clusters = merged;
  }
  const merges = await mergeClosest(clusters, { differ, breather, downTo: 1 });
  return chosen(clusters, merges, count, allowFewer ? LEAST_SHARES_OF_ANY_NUMBER : LEAST_SHARES);
}

function remaining(clusters: readonly Cluster[], merges: readonly Merge[]): Cluster[] {
  const left = new Set(clusters);
  for (const [a, b, merged] of merges) {
    left.delete(a);
    left.delete(b);
    left.add(merged);
  }
  return [...left];
}

/**
 * The `count` largest clusters at the last moment at which so many were large: what then is still by itself are
 * outliers. Where that cuts one voice in two, smaller clusters are people after all.
 */
function chosen(
  clusters: readonly Cluster[],
  merges: readonly Merge[],
  count: number,
  shares: readonly number[],
): Float32Array[] {
  const total = clusters.reduce((sum, { weight }) => sum + weight, 0);
  let best: Float32Array[] | undefined;
  for (const share of shares) {
    const found = largest(clusters, merges, count, share * total)?.map(({ sum }) => unit(sum));
    if (!found) continue;
    if (found.length < 2 || closestPair(found).cosine < ONE_VOICE) return found;
    best ??= found;
  }
  if (best) return best;
  // Fewer than asked for are large, or there are not so many pieces.
  const most = largest(clusters, merges, Math.min(count, clusters.length), 0) ?? [];
  return most.map(({ sum }) => unit(sum));
}

function largest(
  clusters: readonly Cluster[],
  merges: readonly Merge[],
  count: number,
  leastWeight: number,
): Cluster[] | undefined {
  const isLarge = ({ weight }: Cluster) => weight >= leastWeight;
  let large = clusters.filter(isLarge).length;
  let lastWith = large >= count ? 0 : -1;
  merges.forEach(([a, b, merged], index) => {
    large += Number(isLarge(merged)) - Number(isLarge(a)) - Number(isLarge(b));
    if (large >= count) lastWith = index + 1;
  });
  if (lastWith < 0) return undefined;
  const then = remaining(clusters, merges.slice(0, lastWith));
  return then.sort((a, b) => b.weight - a.weight).slice(0, count);
}

/** Each person becomes the mean of what is most like them, twice; someone who loses everything stays as they were. */
async function refined(
  windows: readonly Window[],
  found: readonly Float32Array[],
  breather: Breather,
): Promise<Float32Array[]> {
  let people = [...found];
  for (let round = 0; round < REFINEMENTS; round++) {
    const sums = people.map((person) => person.map(() => 0));
    for (const { voices } of windows) {
      await breather.breathe();
      const dealt = deal(voices.map(meanOf), people);
      voices.forEach((pieces, voice) =>
        pieces.forEach(({ embedding, alone }) => {
          if (!embedding) return;
          const sum = sums[mostLike(embedding, alone, people, dealt[voice]!)]!;
          for (let index = 0; index < sum.length; index++) sum[index]! += embedding[index]! * (alone + 1);
        }),
      );
    }
    people = sums.map((sum, person) => (sum.some((value) => value !== 0) ? unit(sum) : people[person]!));
  }
  return people;
}

async function attribute(
  windows: readonly Window[],
  people: readonly Float32Array[],
  breather: Breather,
): Promise<Identities> {
  const identities: Attributed[][] = [];
  for (const { voices } of windows) {
    await breather.breathe();
    const dealt = deal(voices.map(meanOf), people);
    identities.push(
      voices.flatMap((pieces, voice) =>
        pieces.map(({ runs, alone, embedding }) => ({
          runs,
          person: embedding ? mostLike(embedding, alone, people, dealt[voice]!) : dealt[voice]!,
        })),
      ),
    );
  }
  return identities;
}

/** @param dealt who the voice as a whole is */
function mostLike(
  embedding: Float32Array,
  alone: number,
  people: readonly Float32Array[],
  dealt: number,
): number {
  // A short piece says little by itself.
  const doubt = VOICE_SHARE * Math.min(6, FRAMES_PER_SECOND / (alone + 1));
  let best = { person: dealt, score: -Infinity };
  people.forEach((person, index) => {
    const score = dot(person, embedding) + (index === dealt ? doubt : 0);
    if (score > best.score) best = { person: index, score };
  });
  return best.person;
}

interface VoiceMean {
  readonly weight: number;
  readonly embedding: Float32Array;
}

function meanOf(pieces: readonly { alone: number; embedding: Float32Array | null }[]): VoiceMean | null {
  let sum: Float32Array | undefined;
  let weight = 0;
  for (const { alone, embedding } of pieces) {
    if (!embedding) continue;
    sum ??= new Float32Array(embedding.length);
    for (let index = 0; index < sum.length; index++) sum[index]! += embedding[index]! * (alone + 1);
    weight += alone + 1;
  }
  return sum ? { weight, embedding: unit(sum) } : null;
}

/**
 * Who the voices of a window are, so that voices and people match best and no two voices are one person as long as
 * there are people left. Exhaustive: there are at most three voices. -1 for a voice without an embedding.
 */
function deal(voices: readonly (VoiceMean | null)[], people: readonly Float32Array[]): readonly number[] {
  let best: { score: number; dealt: readonly number[] } = { score: -Infinity, dealt: voices.map(() => -1) };
  // What is heard longer matters more.
  const scores = voices.map(
    (voice) => voice && people.map((person) => Math.sqrt(voice.weight) * dot(person, voice.embedding)),
  );
  const goOn = (score: number, dealt: readonly number[]) => {
    const index = dealt.length;
    if (index === voices.length) {
      if (score > best.score) best = { score, dealt };
      return;
    }
    const own = scores[index];
    if (!own) return goOn(score, [...dealt, -1]);
    own.forEach((value, person) => {
      if (dealt.includes(person) && dealt.length < people.length) return;
      goOn(score + value, [...dealt, person]);
    });
  };
  goOn(0, []);
  return best.dealt;
}

function closestPair(people: readonly Float32Array[]): { a: number; b: number; cosine: number } {
  let closest = { a: 0, b: 0, cosine: -Infinity };
  people.forEach((one, b) =>
    people.slice(0, b).forEach((other, a) => {
      const cosine = dot(one, other);
      if (cosine > closest.cosine) closest = { a, b, cosine };
    }),
  );
  return closest;
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.max(1e-9, Math.sqrt(dot(vector, vector)));
  return vector.map((value) => value / length);
}
