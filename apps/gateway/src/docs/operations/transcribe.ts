import { DETECTED_LANGUAGE, SubmissionReceipt } from '@currawong/contracts';
import { transcribeFields } from '../../transcribe/fields';
import { acceptedExtensions } from '../../transcribe/upload/audio-kind';
import type { DocumentedConfig } from '../openapi';
import type { Operation } from '../operation';
import { queryParameters, type JsonSchema } from '../schemas';
import { JOB_ID } from './examples';

export function transcribeOperation({ accepted, MAX_FILE_BYTES }: DocumentedConfig): Operation {
  const languages = [...accepted.languages, ...(accepted.auto ? [DETECTED_LANGUAGE] : [])];
  const megabytes = MAX_FILE_BYTES / 1_000_000;
  const extensions = acceptedExtensions.join(' ');
  const fields = queryParameters(transcribeFields(accepted));
  const described = Object.entries(fieldNotes(languages)).map(([name, note]) => {
    const schema = fields[name];
    if (!schema) throw new Error(`POST /transcribe has no field ${name}.`);
    return [name, { ...sendable(schema), ...note }] as const;
  });
  return {
    id: 'transcribe',
    method: 'post',
    path: '/transcribe',
    tag: 'Transcription',
    summary: 'Send a recording',
    description:
      `The parts may come in any order. Accepted are ${extensions}, in any case, up to ${megabytes} MB (${MAX_FILE_BYTES.toLocaleString('en-AU')} ` +
      'bytes); the content has to be audio of one of these kinds as well. A video track is ignored. Fields that are not ' +
      'known are ignored. After any answer but 200 nothing is kept: no job, no credit set aside, no recording.',
    access: 'key or session',
    body: {
      mediaType: 'multipart/form-data',
      schema: {
        type: 'object',
        required: ['file'],
        properties: {
          file: {
            type: 'string',
            contentMediaType: 'application/octet-stream',
            description: `The recording: ${extensions}; exactly one file, at most ${megabytes} MB.`,
          },
          ...Object.fromEntries(described),
        },
      },
    },
    answers: {
      200: {
        description: 'Accepted. Ask for the job until it has ended.',
        schema: SubmissionReceipt,
        example: {
          job_id: JOB_ID,
          status: 'processing',
          message: `Your recording was accepted. To follow it, poll GET /api/v1/jobs/${JOB_ID}`,
        },
      },
    },
    refusals: [
      'file_missing',
      'file_empty',
      ['file_type_unsupported', `file: its content is not audio of a supported type. Allowed: ${extensions}`],
      ['file_too_large', `file: it is larger than the ${megabytes} MB that are allowed.`],
      'too_many_files',
      ['invalid_parameter', 'num_speakers: must be a whole number from 1 to 10'],
      ['invalid_parameter', `language: must be one of ${languages.join(', ')}`],
      ['invalid_parameter', 'analysis: must be sentiment, or left out'],
      'body_unreadable',
      'undecodable_audio',
      'recording_too_long',
      'too_slow',
      [
        'insufficient_credit',
        'Your available balance is AUD 0.49 and no free minutes are left. At least AUD 0.50 is needed to submit a ' +
          'recording. Top up AUD 0.01 or more, then send the recording again.',
      ],
      'test_allowance_used',
      'upload_failed',
      'submission_failed',
    ],
  };
}

function fieldNotes(languages: readonly string[]) {
  return {
    language: {
      type: 'string',
      description:
        `What is spoken: ${languages.join(', ')}. Subtags are accepted: \`en-AU\` is \`en\`. These are the languages that the ` +
        'engines know which are at work now, as GET /languages lists them; `auto`, where it is among them, has the engine find ' +
        'out, and the job then shows what it found.',
      examples: ['en', 'en-AU'],
    },
    num_speakers: {
      description: 'How many people speak, 1 to 10. Where it is not sent, at most two are told apart.',
      examples: [2],
    },
    prompt: {
      type: 'string',
      description: 'Comma-separated words and phrases to listen for; the last 200 words count.',
      examples: ['Currawong, Parramatta, Katie Ng'],
    },
    analysis: {
      description: 'What is wanted beyond words and speakers: tone and sentiment, at a price of its own.',
      examples: ['sentiment'],
    },
  };
}

/** A form cannot send null: a field whose default it is may be left out. */
function sendable({ default: fallback, anyOf, ...rest }: JsonSchema): JsonSchema {
  const [first] = (anyOf ?? []) as JsonSchema[];
  return { ...rest, ...first, ...(fallback !== null && fallback !== '' && { default: fallback }) };
}
