import {
  joinedText,
  type EngineIdentity,
  type TranscriptDocument,
  type TranscriptSegment,
  type TranscriptWord,
} from '@currawong/contracts';
import type { SpeakerTurn } from '../diarization/diarizer';
import { speakersOf } from './word-speakers';

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
  const voices = speakersOf(words, turns);
  const numbers = new Map<number, number>();
  const spoken: SpokenTurn[] = [];
  for (const [index, word] of words.entries()) {
    const voice = voices[index]!;
    if (!numbers.has(voice)) numbers.set(voice, numbers.size + 1);
    const speaker = `Speaker ${numbers.get(voice)}`;
    const last = spoken.at(-1);
    if (last?.speaker === speaker) last.words.push(word);
    else spoken.push({ speaker, words: [word] });
  }
  return spoken;
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

/** Engines may give words with spaces around them or none at all inside a phrase. */
function textOf(words: readonly TranscriptWord[]): string {
  return joinedText(words.map(({ text }) => text));
}
