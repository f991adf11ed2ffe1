import type { Breather } from '../breather';
import type { SpeakerTurn } from '../diarizer';
import type { Identities } from './cluster';
import { FRAMES_PER_SECOND, type Window } from './observation';

/** Frames of a window of ten seconds. */
const WINDOW_FRAMES = 589;
/** The middle of what the segmentation looks at for frame 0, less half a frame. */
const OFFSET_SECONDS = (991 / 2 - 270 / 2) / 16_000;
/** The rim of a window has heard only one side of what it tells: it counts from 1 at the edge to 4 from here on. */
const RIM_FRAMES = 90;
/** A pause of one speaker up to this is bridged: words run over it. */
const BRIDGED_SECONDS = 0.25;

/**
 * Turns out of overlapping windows. For each frame the windows that saw it vote how many people speak, and then who
 * they are, so that people who speak at the same time get turns at the same time.
 */
export async function reconstruct(
  windows: readonly Window[],
  identities: Identities,
  breather: Breather,
): Promise<SpeakerTurn[]> {
  const people = 1 + identities.flat().reduce((most, { person }) => Math.max(most, person), -1);
  const firsts = windows.map(({ start }) => Math.round(start * FRAMES_PER_SECOND));
  const frames = firsts.reduce((most, first) => Math.max(most, first + WINDOW_FRAMES), 0);
  // Weights of all windows that saw a frame, of the speakers that they counted in it, and of each person's votes.
  const seen = new Uint16Array(frames);
  const counted = new Uint16Array(frames);
  const votes = Array.from({ length: people }, () => new Uint16Array(frames));
  for (const index of windows.keys()) {
    await breather.breathe();
    const first = firsts[index]!;
    for (let frame = 0; frame < WINDOW_FRAMES; frame++) seen[first + frame]! += weightOf(frame);
    // Two voices of a window that are one person are one vote.
    const spoke = new Set<number>();
    for (const { runs, person } of identities[index]!) {
      if (person < 0) continue;
      for (let run = 0; run < runs.length; run += 2) {
        for (let frame = runs[run]!; frame < runs[run + 1]!; frame++) {
          if (spoke.has(person * WINDOW_FRAMES + frame)) continue;
          spoke.add(person * WINDOW_FRAMES + frame);
          votes[person]![first + frame]! += weightOf(frame);
          counted[first + frame]! += weightOf(frame);
        }
      }
    }
  }
  return turnsOf(await strongest(votes, counted, seen, breather));
}

function weightOf(frame: number): number {
  const toEdge = Math.min(frame, WINDOW_FRAMES - 1 - frame);
  return toEdge >= RIM_FRAMES ? 4 : 1 + Math.floor((3 * toEdge) / RIM_FRAMES);
}

/** Leaves in each frame as many people as were counted, those with the most votes. In place: 1 or 0. */
async function strongest(
  votes: Uint16Array[],
  counted: Uint16Array,
  seen: Uint16Array,
  breather: Breather,
): Promise<Uint16Array[]> {
  for (let frame = 0; frame < seen.length; frame++) {
    if (frame % 10_000 === 0) await breather.breathe();
    const count = seen[frame]! > 0 ? Math.round(counted[frame]! / seen[frame]!) : 0;
    const ranked = votes
      .map((voted, person) => ({ person, votes: voted[frame]! }))
      .filter((entry) => entry.votes > 0)
      .sort((a, b) => b.votes - a.votes);
    for (const voted of votes) voted[frame] = 0;
    for (const { person } of ranked.slice(0, count)) votes[person]![frame] = 1;
  }
  return votes;
}

/** Numbered in order of first appearance; ordered by start. */
function turnsOf(active: readonly Uint16Array[]): SpeakerTurn[] {
  const byPerson = active.map((frames, person) => {
    const turns: { person: number; start: number; end: number }[] = [];
    for (let from = frames.indexOf(1); from >= 0;) {
      const zero = frames.indexOf(0, from);
      const to = zero < 0 ? frames.length : zero;
      const start = from / FRAMES_PER_SECOND + OFFSET_SECONDS;
      const end = to / FRAMES_PER_SECOND + OFFSET_SECONDS;
      const last = turns.at(-1);
      if (last && start - last.end <= BRIDGED_SECONDS) last.end = end;
      else turns.push({ person, start, end });
      from = frames.indexOf(1, to);
    }
    return turns;
  });
  const ordered = byPerson.flat().sort((a, b) => a.start - b.start || a.end - b.end);
  const numbers = new Map<number, number>();
  return ordered.map(({ person, start, end }) => {
    if (!numbers.has(person)) numbers.set(person, numbers.size + 1);
    return { start, end, speaker: numbers.get(person)! };
  });
}
