import { HealthBody, LanguageList, LegacyStatus, QueueStatus } from '@currawong/contracts';
import type { Operation } from '../operation';
import { JOB_ID } from './examples';

export const SERVICE_OPERATIONS: Operation[] = [
  {
    id: 'getHealth',
    method: 'get',
    path: '/health',
    under: 'versioned and root',
    tag: 'Service state',
    summary: 'Ask whether recordings are accepted now',
    access: 'anyone',
    answers: { 200: { description: 'They are.', schema: HealthBody, example: { status: 'ok' } } },
    refusals: [['unavailable', 'Recordings cannot be accepted now: storage not available.']],
  },
  {
    id: 'getLiveness',
    method: 'get',
    path: '/health/live',
    under: 'root',
    tag: 'Service state',
    summary: 'Ask whether the process is up',
    access: 'anyone',
    answers: { 200: { description: 'It is.', schema: HealthBody, example: { status: 'ok' } } },
  },
  {
    id: 'listLanguages',
    method: 'get',
    path: '/languages',
    tag: 'Service state',
    summary: 'List the languages that are recognized',
    description:
      'What may be sent for `language`: what every engine knows that is at work now, or knew that was at work last.',
    access: 'key or session',
    answers: {
      200: {
        description: 'The languages by their English names.',
        schema: LanguageList,
        example: {
          languages: [
            { code: 'en', name: 'English' },
            { code: 'vi', name: 'Vietnamese' },
          ],
          auto: true,
          engine: { name: 'faster-whisper', version: '1.2.1', model: 'large-v3' },
        },
      },
    },
  },
  {
    id: 'getQueueStatus',
    method: 'get',
    path: '/queue/status',
    under: 'versioned and root',
    tag: 'Service state',
    summary: 'Count the caller’s own unfinished jobs',
    description: 'Kept for clients of the older service.',
    access: 'key or session',
    answers: {
      200: {
        description: 'The counts.',
        schema: QueueStatus,
        example: { status: 'ok', pending: 2, processing: 1 },
      },
    },
  },
  {
    id: 'getLegacyStatus',
    method: 'get',
    path: '/status/{id}',
    under: 'versioned and root',
    tag: 'Service state',
    summary: 'Get the status of a job in one word',
    description: 'Kept for clients of the older service.',
    access: 'key or session',
    parameters: { id: { description: 'A job id.', example: JOB_ID } },
    answers: {
      200: { description: 'The word.', schema: LegacyStatus, example: { status: 'COMPLETE' } },
    },
    refusals: ['job_not_found'],
  },
  {
    id: 'getOpenApiDocument',
    method: 'get',
    path: '/openapi.json',
    tag: 'Service state',
    summary: 'Get this document',
    access: 'anyone',
    answers: {
      200: {
        description: 'OpenAPI 3.1, made by the running gateway. Readable at `/docs`.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    },
  },
];
