import { joinedText, type JobView, type TranscriptDocument } from '@currawong/contracts';
import { asSubRip, asWebVtt } from '../jobs/transcript/formats';
import type { AnswerWish, Format } from './form';

/** A completed job and its result. */
export interface Completed {
  job: Pick<JobView, 'id' | 'audio_duration_seconds'>;
  document: TranscriptDocument;
}

export interface FormedAnswer {
  contentType: string;
  body: string;
}

/** A transcript as OpenAI's API gives it; what it has not room for is told by fields of ours beside. */
export function answerIn(wish: AnswerWish, completed: Completed): FormedAnswer {
  const { contentType, form } = FORMS[wish.format];
  return { contentType: `${contentType}; charset=utf-8`, body: form(completed, wish) };
}

/** The same as a stream of events: the text piece by piece, then whole. */
export function* eventsIn({ format }: AnswerWish, { job, document }: Completed): Generator<object> {
  let text = '';
  for (const [index, segment] of document.segments.entries()) {
    const next = joinedText([text, segment.text]);
    const id = segmentId(index);
    yield {
      type: 'transcript.text.delta',
      delta: next.slice(text.length),
      ...(format === 'diarized_json' && { segment_id: id }),
    };
    if (format === 'diarized_json') yield diarizedSegment(segment, index);
    text = next;
  }
  yield {
    type: 'transcript.text.done',
    text: document.transcription,
    usage: usageOf(job),
    ...origin({ job, document }),
  };
}

interface Form {
  contentType: string;
  form: (completed: Completed, wish: AnswerWish) => string;
}

const FORMS: Record<Format, Form> = {
  json: json(({ job, document }) => ({ text: document.transcription, usage: usageOf(job) })),
  verbose_json: json(verbose),
  diarized_json: json(({ job, document }) => ({
    ...{ task: 'transcribe', duration: document.durationSeconds, text: document.transcription },
    segments: document.segments.map(diarizedSegment),
    usage: usageOf(job),
  })),
  text: { contentType: 'text/plain', form: ({ document }) => `${document.transcription}\n` },
  // Without the names of speakers: whoever asks by this API does not expect them among the words.
  srt: {
    contentType: 'application/x-subrip',
    form: ({ document }) => asSubRip(document.segments, {}, { speakers: false }),
  },
  vtt: {
    contentType: 'text/vtt',
    form: ({ document }) => asWebVtt(document.segments, {}, { speakers: false }),
  },
};

function json(form: (completed: Completed, wish: AnswerWish) => object): Form {
  return {
    contentType: 'application/json',
    form: (completed, wish) => JSON.stringify({ ...form(completed, wish), ...origin(completed) }),
  };
}

/** What made it and under which name it can be found again. */
function origin({ job, document }: Completed) {
  const { name, version, model } = document.engine;
  return { job_id: job.id, engine: { name, version, model: model ?? null } };
}

function verbose({ job, document }: Completed, { granularities }: AnswerWish): object {
  const words = document.segments.flatMap((segment) => segment.words);
  return {
    task: 'transcribe',
    language: languageName(document.language),
    duration: document.durationSeconds,
    text: document.transcription,
    ...(granularities.includes('word') && {
      words: words.map(({ text, start, end }) => ({ word: text, start, end })),
    }),
    ...(granularities.includes('segment') && { segments: document.segments.map(verboseSegment) }),
    usage: usageOf(job),
  };
}

type Segment = TranscriptDocument['segments'][number];

/** What only Whisper knows of itself stands at what means nothing there; docs/openai.md says so. */
function verboseSegment(
  { start, end, text, speaker, confidence, sentiment, tone }: Segment,
  id: number,
): object {
  return {
    ...{ id, seek: 0, start, end, text, tokens: [], temperature: 0 },
    avg_logprob: confidence ? Math.log(confidence) : 0,
    compression_ratio: 1,
    no_speech_prob: 0,
    ...{ speaker, confidence },
    ...(sentiment !== undefined && { sentiment }),
    ...(tone !== undefined && { tone }),
  };
}

function diarizedSegment({ start, end, text, speaker }: Segment, index: number): object {
  return {
    type: 'transcript.text.segment',
    id: segmentId(index),
    start,
    end,
    text,
    speaker: letterOf(speaker),
  };
}

function segmentId(index: number): string {
  return `seg_${String(index).padStart(3, '0')}`;
}

/** `Speaker 1` is A there. There are ten at the most. */
function letterOf(speaker: string): string {
  return String.fromCharCode(64 + Number(/\d+$/.exec(speaker)![0]));
}

/** What is charged for. */
function usageOf({ audio_duration_seconds }: Completed['job']) {
  return { type: 'duration', seconds: audio_duration_seconds ?? 0 };
}

/** `english`, as Whisper says it. */
function languageName(code: string): string {
  return (new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code).toLowerCase();
}
