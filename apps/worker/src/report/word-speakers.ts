import type { TranscriptWord } from '@currawong/contracts';
import type { SpeakerTurn } from '../diarization/diarizer';

/** A turn shorter than this is rather a breath or an error than a word. */
const SHORTEST_TURN_SECONDS = 0.25;
/** Where several speak during a word, one who does so for so much less is not whom it is from. */
const CLEARLY_LESS_SECONDS = 0.05;

/**
 * Whose word each is: that of the speaker who speaks during most of it; where people speak at the same time, rather of
 * the one who said the word before; where nobody speaks, of the nearest in time.
 * @param words in order of their start.
 * @returns a speaker per word; 1 for all where there are no turns.
 */
export function speakersOf(words: readonly TranscriptWord[], turns: readonly SpeakerTurn[]): number[] {
  const ordered = withoutBlips(turns).sort((a, b) => a.start - b.start);
  // Overlapping turns may end out of order: the latest end so far tells when nothing before matters any more.
  let latestEnd = -Infinity;
  const endsBy = ordered.map(({ end }) => (latestEnd = Math.max(latestEnd, end)));
  let first = 0;
  let before: number | undefined;
  return words.map((word) => {
    while (first + 1 < ordered.length && endsBy[first]! <= word.start) first++;
    const seconds = new Map<number, number>();
    let nearest = { seconds: Infinity, speaker: 1 };
    // One turn before `first` is looked at as well: it may be the nearest.
    for (let index = Math.max(0, first - 1); index < ordered.length; index++) {
      const turn = ordered[index]!;
      const shared = Math.min(word.end, turn.end) - Math.max(word.start, turn.start);
      if (shared > 0) seconds.set(turn.speaker, (seconds.get(turn.speaker) ?? 0) + shared);
      if (-shared < nearest.seconds) nearest = { seconds: -shared, speaker: turn.speaker };
      if (turn.start > word.end) break;
    }
    const most = Math.max(...seconds.values());
    const eligible = [...seconds].filter(([, shared]) => shared >= most - CLEARLY_LESS_SECONDS);
    const same = eligible.find(([speaker]) => speaker === before);
    const speaker = (same ?? eligible.sort(([, a], [, b]) => b - a)[0])?.[0] ?? nearest.speaker;
    return (before = speaker);
  });
}

/** Nobody disappears altogether: someone who has nothing longer keeps what there is. */
function withoutBlips(turns: readonly SpeakerTurn[]): SpeakerTurn[] {
  const isLong = ({ start, end }: SpeakerTurn) => end - start >= SHORTEST_TURN_SECONDS;
  const heard = new Set(turns.filter(isLong).map(({ speaker }) => speaker));
  return turns.filter((turn) => isLong(turn) || !heard.has(turn.speaker));
}
