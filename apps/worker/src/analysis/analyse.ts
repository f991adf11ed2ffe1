import type { Sentiment, SpeakerSummary, TranscriptDocument } from '@currawong/contracts';
import { rated, vader, type SentimentModel } from './sentiment';
import { tones, wordsPerMinute } from './tone';
import { VoiceTracks } from './voice-track';

const NO_ANALYSIS = 'Tone and sentiment could not be found.';
const NO_TONE = 'The tone of the voices could not be found in all of the recording.';
const ONLY_ENGLISH = 'The sentiment is found in English texts only; that of this recording is left out.';

/**
 * A transcript with how it was said and what it says: `sentiment` and `tone` of each segment, and a summary of each
 * speaker.
 * @param tracks those of all parts of the recording, as `trackVoice` gives them; empty for a part without one
 */
export function analysed(
  transcript: TranscriptDocument,
  tracks: readonly Buffer[],
  model: SentimentModel = vader,
): TranscriptDocument {
  const { segments } = transcript;
  const isRated = transcript.language.split('-')[0] === model.language;
  const sentiments = segments.map(({ text }) => (isRated ? model.rate(text) : null));
  const { bySegment, bySpeaker } = tones(segments, new VoiceTracks(tracks));
  const warnings = new Set(
    transcript.warnings.filter((text) => ![NO_ANALYSIS, NO_TONE, ONLY_ENGLISH].includes(text)),
  );
  if (!isRated && segments.length > 0) warnings.add(ONLY_ENGLISH);
  if (tracks.some(({ length }) => length === 0)) warnings.add(NO_TONE);
  const summaries: SpeakerSummary[] = [...bySpeaker].map(([speaker, { seconds, words, tone }]) => ({
    speaker,
    seconds: Math.round(seconds * 10) / 10,
    words,
    words_per_minute: wordsPerMinute({ words, seconds }),
    sentiment: average(
      segments.flatMap((segment, index) =>
        segment.speaker === speaker && sentiments[index]
          ? [{ sentiment: sentiments[index], weight: segment.words.length }]
          : [],
      ),
    ),
    tone,
  }));
  return {
    ...transcript,
    segments: segments.map((segment, index) => ({
      ...segment,
      sentiment: sentiments[index]!,
      tone: bySegment[index]!,
    })),
    warnings: [...warnings],
    speakersSummary: summaries,
  };
}

/** A transcript without analysis is better than none: what fails is told in its warnings. */
export function analysedIfPossible(
  transcript: TranscriptDocument,
  tracks: readonly Buffer[],
): { analysis: TranscriptDocument; failure?: Error } {
  try {
    return { analysis: analysed(transcript, tracks) };
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    const { speakersSummary: _, ...rest } = transcript;
    return { analysis: { ...rest, warnings: [...new Set([...rest.warnings, NO_ANALYSIS])] }, failure };
  }
}

/** By words: a long complaint is more than a short thanks. */
function average(rates: readonly { sentiment: Sentiment; weight: number }[]): Sentiment | null {
  const weights = rates.reduce((sum, { weight }) => sum + weight, 0);
  if (weights === 0) return null;
  return rated(rates.reduce((sum, { sentiment, weight }) => sum + weight * sentiment.score, 0) / weights);
}
