import { ErrorBody, type ErrorCode } from '@currawong/contracts';
import { z } from 'zod';
import { openAiError } from '../../openai/error-body';
import { FORMATS } from '../../openai/form';
import { MODELS } from '../../openai/models.controller';
import type { DocumentedConfig } from '../openapi';
import type { ErrorForm, Operation } from '../operation';
import type { JsonSchema } from '../schemas';
import { JOB, JOB_ID } from './examples';
import { transcribeOperation } from './transcribe';

const Usage = z.object({ type: z.literal('duration'), seconds: z.number().int() });
const Transcription = z.object({
  text: z.string(),
  usage: Usage,
  job_id: z.uuid(),
  engine: z.object({ name: z.string(), version: z.string(), model: z.string().nullable() }),
  // Of verbose_json and diarized_json.
  task: z.literal('transcribe').optional(),
  language: z.string().optional(),
  duration: z.number().optional(),
  words: z.array(z.object({ word: z.string(), start: z.number(), end: z.number() })).optional(),
  /** With more fields, each format its own. */
  segments: z.array(z.looseObject({ start: z.number(), end: z.number(), text: z.string() })).optional(),
});
const Model = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.number().int(),
  owned_by: z.string(),
});
const ModelList = z.object({ object: z.literal('list'), data: z.array(Model) });

/** Ours, and beside it what OpenAI's SDKs make their exceptions of. */
const ERRORS_OF_OPENAI: ErrorForm = {
  schema: ErrorBody.extend({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  }),
  body: (status: number, detail: string, code: ErrorCode) => ({
    detail,
    error: openAiError(status, detail, code),
  }),
};
const common = { tag: 'OpenAI', access: 'key, bearer or session', errors: ERRORS_OF_OPENAI } as const;

export function openAiOperations(config: DocumentedConfig): Operation[] {
  const { body, refusals = [] } = transcribeOperation(config);
  const { language, prompt, num_speakers, analysis, webhook_url, file } = (body!.schema as JsonSchema)[
    'properties'
  ] as Record<string, JsonSchema>;
  return [
    {
      ...common,
      id: 'createTranscription',
      method: 'post',
      path: '/audio/transcriptions',
      summary: 'Send a recording and wait for its text',
      description:
        'As OpenAI’s API has it, so that its SDKs work with another base URL and key; the same jobs, prices and limits as POST ' +
        '/transcribe, and counted with it. The request is held open until the job has ended, for as long as that takes; with ' +
        '`stream=true` comments keep the connection alive meanwhile. Where the client leaves before, the job is undone and nothing ' +
        'is charged. The header `X-Currawong-Job-Id` names the job. Errors have the form that the SDKs read beside `detail`. An ' +
        'account can hold 50 open at a time.',
      body: {
        mediaType: 'multipart/form-data',
        schema: {
          type: 'object',
          required: ['file'],
          properties: {
            file: {
              ...file,
              description: `${String(file!['description'])} Nothing else may be sent instead.`,
            },
            model: {
              type: 'string',
              description: 'Any name: the engine that is at work does it, and the answer says which one.',
              examples: ['whisper-1'],
            },
            language: {
              ...language,
              description: `${String(language!['description'])} Where it is not sent, it is found out if the engine can, else \`en\`.`,
            },
            prompt,
            response_format: { enum: FORMATS, default: 'json', description: 'The form of the answer.' },
            stream: {
              type: 'boolean',
              default: false,
              description:
                'Whether the answer is a stream of events; with json, text and diarized_json alone.',
            },
            'timestamp_granularities[]': {
              type: 'array',
              items: { enum: ['word', 'segment'] },
              default: ['segment'],
              description: 'Which times verbose_json has.',
            },
            'keywords[]': {
              type: 'array',
              items: { type: 'string' },
              description: 'More words to listen for; they are put to `prompt`.',
            },
            temperature: {
              type: 'number',
              minimum: 0,
              maximum: 1,
              description: 'Accepted; nothing depends on it.',
            },
            chunking_strategy: { description: 'Accepted; recordings are cut where nobody speaks.' },
            num_speakers,
            analysis,
            webhook_url,
          },
        },
      },
      answers: {
        200: {
          description: 'The text, in the form that was asked for.',
          content: {
            'application/json': {
              schema: Transcription,
              example: {
                text: JOB.transcription,
                usage: { type: 'duration', seconds: 40 },
                job_id: JOB_ID,
                engine: JOB.engine,
              },
            },
            'text/plain': { schema: { type: 'string' } },
            'application/x-subrip': { schema: { type: 'string' } },
            'text/vtt': { schema: { type: 'string' } },
            'text/event-stream': { schema: { type: 'string' } },
          },
          headers: {
            'X-Currawong-Job-Id': { description: 'The job.', schema: { type: 'string', format: 'uuid' } },
          },
        },
      },
      refusals: [
        ...refusals,
        ['invalid_parameter', `response_format: must be one of ${FORMATS.join(', ')}`],
        ['invalid_parameter', 'include[]: must be left out: log probabilities are not available'],
        'job_failed',
        'job_not_found',
      ],
    },
    {
      ...common,
      id: 'createTranslation',
      method: 'post',
      path: '/audio/translations',
      summary: 'Translations are not made here',
      description: 'There, so that a program for OpenAI’s API is told so.',
      answers: {},
      refusals: ['translation_unavailable'],
    },
    {
      ...common,
      id: 'listModels',
      method: 'get',
      path: '/models',
      summary: 'List names of models',
      description:
        'For programs that look before they ask. Any other name is accepted for transcriptions as well.',
      answers: {
        200: { description: 'The names.', schema: ModelList, example: { object: 'list', data: MODELS } },
      },
    },
    {
      ...common,
      id: 'getModel',
      method: 'get',
      path: '/models/{model}',
      summary: 'Get one of them',
      parameters: {
        model: { description: 'Its name.', example: 'whisper-1', schema: { type: 'string' } },
      },
      answers: { 200: { description: 'The model.', schema: Model, example: MODELS[0] } },
      refusals: ['model_not_found'],
    },
  ];
}
