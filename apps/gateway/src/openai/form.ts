import { DETECTED_LANGUAGE } from '@currawong/contracts';
import { z } from 'zod';
import { parse } from '../http/parse';
import { RefusalException } from '../http/refusal.exception';
import type { AcceptedLanguages } from '../languages/languages';
import { transcribeFields } from '../transcribe/fields';
import type { SubmissionForm, Wanted } from '../transcribe/intake';

export const FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
/** In which a stream makes sense: the others are whole files. */
const STREAMED: readonly Format[] = ['json', 'text', 'diarized_json'];
export type Format = (typeof FORMATS)[number];

/** What is wanted of the answer. */
export interface AnswerWish {
  format: Format;
  stream: boolean;
  /** Which times verbose_json has. */
  granularities: readonly ('word' | 'segment')[];
}

const none = (why: string) =>
  z
    .string()
    .optional()
    .refine((sent) => sent === undefined || sent === '', why);
const TEMPERATURE = 'must be a number from 0 to 1';

/** The fields of OpenAI's API that ours has not. What is repeated in a form comes with commas between. */
const ANSWER_FIELDS = z.object({
  /** Whatever it is called, the engine that is at work does it. */
  model: z.string().optional(),
  response_format: z.enum(FORMATS, `must be one of ${FORMATS.join(', ')}`).default('json'),
  stream: z.enum(['true', 'false', ''], 'must be true or false').default('false'),
  'timestamp_granularities[]': z
    .string()
    .transform((sent) => sent.split(',').map((one) => one.trim()))
    .pipe(z.array(z.enum(['word', 'segment'], 'must be word or segment')))
    .default(['segment']),
  temperature: z
    .string()
    .refine((sent) => sent.trim() !== '' && Number(sent) >= 0 && Number(sent) <= 1, TEMPERATURE)
    .optional(),
  /** Recordings are cut where nobody speaks, whatever is sent. */
  chunking_strategy: z.string().optional(),
  'include[]': none('must be left out: log probabilities are not available'),
  'languages[]': none('must be left out: send one as language'),
  'known_speaker_names[]': none('must be left out: speakers are not known by samples of their voices'),
  'known_speaker_references[]': none('must be left out: speakers are not known by samples of their voices'),
  /** More words to listen for. */
  'keywords[]': z.string().optional(),
});

/** How POST /audio/transcriptions is read: OpenAI's fields, and those of ours that OpenAI has not. */
export function transcriptionForm(
  accepted: Pick<AcceptedLanguages, 'languages' | 'auto'>,
): SubmissionForm<{ wanted: Wanted; wish: AnswerWish }> {
  const fields = transcribeFields(accepted);
  return {
    names: [...Object.keys(fields.shape), ...Object.keys(ANSWER_FIELDS.shape)],
    byReference: false,
    read: (sent) => {
      const answer = parse(ANSWER_FIELDS, sent);
      const format = answer.response_format;
      const stream = answer.stream === 'true';
      if (stream && !STREAMED.includes(format)) refuseStream(format);
      const prompt = [sent['prompt'], answer['keywords[]']].filter(Boolean).join(', ');
      // As with OpenAI, a language that is not named is found out, where the engine can.
      const language = sent['language'] || (accepted.auto ? DETECTED_LANGUAGE : undefined);
      const { language: _, ...rest } = sent;
      const wanted = parse(fields, { ...rest, prompt, ...(language !== undefined && { language }) });
      return { wanted, wish: { format, stream, granularities: answer['timestamp_granularities[]'] } };
    },
  };
}

function refuseStream(format: Format): never {
  const message = `must be false with ${format}: only ${STREAMED.join(', ')} can be streamed`;
  throw RefusalException.of('invalid_parameter', `stream: ${message}`);
}
