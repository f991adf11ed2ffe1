import { DETECTED_LANGUAGE, SubmissionReceipt } from '@currawong/contracts';
import { transcribeFields } from '../../transcribe/fields';
import { IDEMPOTENCY_KEY_RULE } from '../../transcribe/idempotency';
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
      'known are ignored. After any answer but 200 nothing is kept: no job, no credit set aside, no recording. ' +
      'Instead of `file`, send `file_url`, from which the recording is fetched while you wait, or the `upload_id` of an upload that ' +
      'was put into the store (POST /uploads), which stays for another try until its time is over; without a file the fields may ' +
      'also be sent as `application/json` or `application/x-www-form-urlencoded`. ' +
      'With an `Idempotency-Key` a request can be repeated after any failure: the same key and the same request give the same ' +
      'receipt and one job, also when they come at once; the key is kept for 24 hours, for the account and the mode of its ' +
      'keys. A request that was refused keeps no key, so that after a top-up the same one may be sent again.',
    access: 'key or session',
    body: {
      mediaType: 'multipart/form-data',
      schema: {
        type: 'object',
        properties: {
          file: {
            type: 'string',
            contentMediaType: 'application/octet-stream',
            description: `The recording: ${extensions}; exactly one file, at most ${megabytes} MB. Exactly one of file, file_url and upload_id is sent.`,
          },
          file_url: {
            type: 'string',
            format: 'uri',
            maxLength: 2_048,
            description:
              'Where the recording is fetched from: https, reached over the internet, readable by anyone who has the address. ' +
              'Redirects are not followed. The end of the address, Content-Disposition or Content-Type must say which kind it is; ' +
              'everything else is as for a file.',
            examples: ['https://example.com/interview.mp3'],
          },
          upload_id: { type: 'string', format: 'uuid', description: 'Of an upload made by POST /uploads.' },
          ...Object.fromEntries(described),
        },
      },
    },
    headers: {
      'Idempotency-Key': {
        description: `Your own name for this request: ${IDEMPOTENCY_KEY_RULE}. A UUID does.`,
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
        example: '6f1d3a52-7c1e-4c36-9a5b-0f4b7d1f2c11',
        required: false,
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
      'too_many_jobs',
      'overloaded',
      'file_missing',
      'file_empty',
      ['file_type_unsupported', `file: its content is not audio of a supported type. Allowed: ${extensions}`],
      ['file_too_large', `file: it is larger than the ${megabytes} MB that are allowed.`],
      'too_many_files',
      ['invalid_parameter', 'num_speakers: must be a whole number from 1 to 10'],
      ['invalid_parameter', `language: must be one of ${languages.join(', ')}`],
      ['invalid_parameter', 'analysis: must be sentiment, or left out'],
      ['invalid_parameter', 'webhook_url: must lead to a public address on the internet'],
      ['invalid_parameter', `Idempotency-Key: must be ${IDEMPOTENCY_KEY_RULE}, once`],
      ['invalid_parameter', 'file, file_url, upload_id: send exactly one of them'],
      ['file_url_refused', 'file_url: must lead to a public address on the internet'],
      [
        'file_url_failed',
        'file_url: the recording could not be fetched: it answered 404, not 200. The address must give the recording to anyone who asks.',
      ],
      'upload_not_found',
      [
        'upload_incomplete',
        'upload_id: 1 of 3 parts have not arrived: 2. PUT them to their URLs, then submit the upload again.',
      ],
      'idempotency_key_reused',
      'submission_pending',
      'job_cancelled',
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
    webhook_url: {
      type: 'string',
      description:
        'Where the end of this job is told, in the place of the account’s own address: https, and reached over the internet.',
      examples: ['https://example.com/hooks/currawong'],
    },
  };
}

/** A form cannot send null: a field whose default it is may be left out. */
function sendable({ default: fallback, anyOf, ...rest }: JsonSchema): JsonSchema {
  const [first] = (anyOf ?? []) as JsonSchema[];
  return { ...rest, ...first, ...(fallback !== null && fallback !== '' && { default: fallback }) };
}
