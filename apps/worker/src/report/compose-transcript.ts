import type {
  EngineIdentity,
  TranscriptDocument,
  TranscriptSegment,
  TranscriptWord,
} from '@currawong/contracts';
import type { SpeakerTurn } from '../diarization/diarizer';

export interface ComposeInput {
  readonly language: string;
  /** Exact decoded length. */
  readonly durationSeconds: number;
  /** Of the whole recording; any order. */
  readonly words: readonly TranscriptWord[];
  /** Who spoke when; without any, everything was said by one speaker. */
  readonly turns: readonly SpeakerTurn[];
  readonly warnings?: readonly string[];
  readonly engine: EngineIdentity;
  readonly diarizer: EngineIdentity;
}

/** Brings what was said together with who spoke. Speakers are numbered from 1 in order of first word. */
export function composeTranscript(input: ComposeInput): TranscriptDocument {
  const words = [...input.words].sort((a, b) => a.start - b.start || a.end - b.end);
  const turns = spokenTurns(words, input.turns);
  return {
    version: 1,
    language: input.language,
    durationSeconds: input.durationSeconds,
    speakers: new Set(turns.map(({ speaker }) => speaker)).size,
    segments: turns.flatMap((turn) => brokenAtPauses(turn.words).map((part) => segment(turn.speaker, part))),
    transcription: textOf(words),
    diarization: turns.map((turn) => `[${turn.speaker}]: ${textOf(turn.words)}`).join('\n'),
    warnings: [...(input.warnings ?? [])],
    engine: input.engine,
    diarizer: input.diarizer,
  };
}

/** Words that one speaker says without another in between. */
interface SpokenTurn {
  readonly speaker: string;
  readonly words: TranscriptWord[];
}

function spokenTurns(words: readonly TranscriptWord[], turns: readonly SpeakerTurn[]): SpokenTurn[] {
  const speakerOf = speakerFinder(turns);
  const numbers = new Map<number, number>();
  const spoken: SpokenTurn[] = [];
  for (const word of words) {
    const voice = speakerOf(word);
    if (!numbers.has(voice)) numbers.set(voice, numbers.size + 1);
    const speaker = `Speaker ${numbers.get(voice)}`;
    const last = spoken.at(-1);
    if (last?.speaker === speaker) last.words.push(word);
    else spoken.push({ speaker, words: [word] });
  }
  return spoken;
}

/**
 * The voice of a word: the one that speaks during most of it, else the nearest in time. Words must be asked
 * for in order of their start; the search then only ever moves on.
 */
function speakerFinder(turns: readonly SpeakerTurn[]): (word: TranscriptWord) => number {
  const ordered = [...turns].sort((a, b) => a.start - b.start);
  // Overlapping turns may end out of order: the latest end so far tells when nothing before matters any more.
  let latestEnd = -Infinity;
  const endsBy = ordered.map(({ end }) => (latestEnd = Math.max(latestEnd, end)));
  let first = 0;
  return (word) => {
    while (first + 1 < ordered.length && endsBy[first]! <= word.start) first++;
    let best: { overlap: number; speaker: number } | undefined;
    // One turn before `first` is looked at as well: it may be the nearest.
    for (let index = Math.max(0, first - 1); index < ordered.length; index++) {
      const turn = ordered[index]!;
      // Below zero it is the distance, so one number serves for both "most" and "nearest".
      const overlap = Math.min(word.end, turn.end) - Math.max(word.start, turn.start);
      if (!best || overlap > best.overlap) best = { overlap, speaker: turn.speaker };
      if (turn.start > word.end) break;
    }
    return best?.speaker ?? 1;
  };
}

/** A pause this long always ends a segment. */
const LONG_PAUSE_SECONDS = 1.5;
/** And a shorter one does where the segment has become long enough to read at a time. */
const SHORT_PAUSE_SECONDS = 0.35;
const READABLE_SECONDS = 8;
/** A segment without any pause ends here all the same. */
const LONGEST_SECONDS = 24;

function brokenAtPauses(words: readonly TranscriptWord[]): TranscriptWord[][] {
  const parts: TranscriptWord[][] = [];
  for (const word of words) {
    const part = parts.at(-1);
    const last = part?.at(-1);
    if (!part || !last || breaksBefore(word, last, part[0]!)) parts.push([word]);
    else part.push(word);
  }
  return parts;
}

function breaksBefore(word: TranscriptWord, last: TranscriptWord, first: TranscriptWord): boolean {
  const pauseSeconds = word.start - last.end;
  const lengthSeconds = last.end - first.start;
  return (
    pauseSeconds >= LONG_PAUSE_SECONDS ||
    (pauseSeconds >= SHORT_PAUSE_SECONDS && lengthSeconds >= READABLE_SECONDS) ||
    word.end - first.start > LONGEST_SECONDS
  );
}

function segment(speaker: string, words: TranscriptWord[]): TranscriptSegment {
  return {
    start: words[0]!.start,
    end: words.reduce((latest, { end }) => Math.max(latest, end), 0),
    speaker,
    text: textOf(words),
    confidence: meanConfidence(words),
    words,
  };
}

function meanConfidence(words: readonly TranscriptWord[]): number | null {
  let weights = 0;
  let sum = 0;
  for (const { confidence, start, end } of words) {
    if (confidence === null) continue;
    const weight = Math.max(0.01, end - start);
    weights += weight;
    sum += weight * confidence;
  }
  return weights > 0 ? Math.round((sum / weights) * 10_000) / 10_000 : null;
}

/** Engines may give words with spaces around them or none at all inside a phrase; the text has single ones. */
function textOf(words: readonly TranscriptWord[]): string {
  return words
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join(' ')
    .replace(/\s+/g, ' ');
}
