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

/** A stretch of one speaker, short enough to be a subtitle or a paragraph; long turns give several. */
export const TranscriptSegment = z.object({
  start: seconds,
  end: seconds,
  speaker: z.string().regex(/^Speaker [1-9]\d*$/),
  text: z.string().min(1),
  /** Mean over the words that carry one, weighted by their duration. */
  confidence,
  words: z.array(TranscriptWord),
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
  /** All words joined by single spaces; empty for a recording without speech. */
  transcription: z.string(),
  /** One turn a line, `[Speaker 1]: text`, numbered in order of first word. */
  diarization: z.string(),
  warnings: z.array(z.string()),
  engine: EngineIdentity,
  diarizer: EngineIdentity,
});
export type TranscriptDocument = z.infer<typeof TranscriptDocument>;

/** What recognising one chunk leaves in the store, until the recording is assembled. */
export const RecognizedChunk = z.object({
  version: z.literal(1),
  chunkIndex: z.number().int().nonnegative(),
  startSeconds: seconds,
  endSeconds: seconds,
  /** What was asked for, or what was detected; null where nothing was said in the chunk and nothing was asked for. */
  language: z.string().min(2).nullable(),
  /** Times count from the beginning of the recording, not of the chunk. */
  words: z.array(TranscriptWord),
  warnings: z.array(z.string()),
  engine: EngineIdentity,
});
export type RecognizedChunk = z.infer<typeof RecognizedChunk>;
