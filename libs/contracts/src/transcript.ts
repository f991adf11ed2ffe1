import { z } from 'zod';

/**
 * What a finished recording says and who said it: the object a worker writes to the store and the jobs
 * service reads. All times are seconds from the beginning of the recording.
 */

const seconds = z.number().nonnegative();
const confidence = z.number().min(0).max(1).nullable();

/** One recognised word. `confidence` is null where the engine gives none. */
export const TranscriptWord = z.object({ text: z.string().min(1), start: seconds, end: seconds, confidence });
export type TranscriptWord = z.infer<typeof TranscriptWord>;

/** What a text says, as far as its words tell; `score` from −1 (negative) to 1. */
export const Sentiment = z.object({
  label: z.enum(['positive', 'neutral', 'negative']),
  score: z.number().min(-1).max(1),
});
export type Sentiment = z.infer<typeof Sentiment>;

/** Compared with how the same speaker usually speaks; no emotion is claimed. */
export const ToneLabel = z.enum(['calm', 'neutral', 'animated']);
export type ToneLabel = z.infer<typeof ToneLabel>;

/** How something was said; docs/analysis.md defines each measure. */
export const Tone = z.object({
  /** Median; null where too little is voiced. */
  pitch_hz: z.number().positive().nullable(),
  /** From the lowest tenth to the highest. */
  pitch_range_semitones: z.number().nonnegative().nullable(),
  /** Of a segment: against the speaker's own median. Of a speaker: against that of all. */
  energy_db: z.number(),
  words_per_minute: z.number().nonnegative(),
  /** Null where there is too little to compare. */
  label: ToneLabel.nullable(),
});
export type Tone = z.infer<typeof Tone>;

/** One speaker by and large: where an analysis was asked for. */
export const SpeakerSummary = z.object({
  speaker: z.string().regex(/^Speaker [1-9]\d*$/),
  seconds: seconds,
  words: z.number().int().nonnegative(),
  words_per_minute: z.number().nonnegative(),
  /** Null where the language's words are not known. */
  sentiment: Sentiment.nullable(),
  tone: Tone.nullable(),
});
export type SpeakerSummary = z.infer<typeof SpeakerSummary>;

/** A stretch of one speaker, short enough to be a subtitle or a paragraph; long turns give several. */
export const TranscriptSegment = z.object({
  start: seconds,
  end: seconds,
  speaker: z.string().regex(/^Speaker [1-9]\d*$/),
  text: z.string().min(1),
  /** Mean over the words that carry one, weighted by their duration. */
  confidence,
  words: z.array(TranscriptWord),
  /** Absent without an analysis. */
  sentiment: Sentiment.nullable().optional(),
  tone: Tone.nullable().optional(),
});
export type TranscriptSegment = z.infer<typeof TranscriptSegment>;

/** The program that did a part of the work, recorded so that a result can be explained years later. */
export const EngineIdentity = z.object({
  name: z.string().min(1),
  version: z.string().min(1),
  /** Which weights, exactly; absent where there are none. */
  model: z.string().min(1).nullable().optional(),
});
export type EngineIdentity = z.infer<typeof EngineIdentity>;

export const TranscriptDocument = z.object({
  version: z.literal(1),
  language: z.string().min(2),
  /** Exact length of the decoded audio: the quantity that is charged, before rounding. */
  durationSeconds: seconds,
  /** How many different speakers have at least one word. */
  speakers: z.number().int().nonnegative(),
  segments: z.array(TranscriptSegment),
  /** All words, see `joinedText`; empty for a recording without speech. */
  transcription: z.string(),
  /** One turn a line, `[Speaker 1]: text`, numbered in order of first word. */
  diarization: z.string(),
  warnings: z.array(z.string()),
  engine: EngineIdentity,
  diarizer: EngineIdentity,
  /** In the order of the speakers' numbers; absent without an analysis. */
  speakersSummary: z.array(SpeakerSummary).optional(),
});
export type TranscriptDocument = z.infer<typeof TranscriptDocument>;

/** What recognising one chunk leaves in the store, until the recording is assembled. */
export const RecognizedChunk = z.object({
  version: z.literal(1),
  chunkIndex: z.number().int().nonnegative(),
  startSeconds: seconds,
  endSeconds: seconds,
  /** What was asked for, or what was detected; null where nothing was said in the chunk and nothing was asked for. */
  language: z.string().min(2).nullable().default(null),
  /** Times count from the beginning of the recording, not of the chunk. */
  words: z.array(TranscriptWord),
  warnings: z.array(z.string()),
  engine: EngineIdentity,
  /** Pitch and level of the voices, base64, in the worker's own format; absent without an analysis. */
  voiceTrack: z.string().optional(),
});
export type RecognizedChunk = z.infer<typeof RecognizedChunk>;
