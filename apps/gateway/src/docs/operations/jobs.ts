import {
  DeletionList,
  DeletionReceipt,
  DiarizationRequest,
  JobChange,
  JobDetail,
  JobList,
} from '@currawong/contracts';
import { JobQuery, TranscriptQuery } from '../../jobs/job-query';
import { ListQuery, PageQuery } from '../../jobs/list-query';
import type { Operation, ParameterNote } from '../operation';
import { DELETION, JOB, JOB_ID, JOB_ITEM, UNFINISHED_JOB } from './examples';

const JOB_PARAMETER: ParameterNote = { description: 'The `job_id` of the receipt.', example: JOB_ID };
const binary = {};
const EVENTS_EXAMPLE = `retry: 2000

id: processing.400.0
event: status
data: ${JSON.stringify(UNFINISHED_JOB)}

id: completed.1000.0
event: status
data: ${JSON.stringify(JOB_ITEM)}

`;

export const JOB_OPERATIONS: Operation[] = [
  {
    id: 'listJobs',
    method: 'get',
    path: '/jobs',
    tag: 'Transcription',
    summary: 'List jobs, newest first',
    description:
      'Of the account and the mode of the key: a test key sees test jobs alone. A page past the end is empty.',
    access: 'key or session',
    query: ListQuery,
    parameters: {
      page: { description: 'From 1.', example: 1 },
      page_size: { description: 'From 1 to 100.', example: 20 },
      status: { description: 'Jobs of this status alone.', example: 'completed' },
    },
    answers: {
      200: {
        description: 'A page of jobs, without their texts.',
        schema: JobList,
        example: { jobs: [UNFINISHED_JOB, JOB_ITEM], total: 2, page: 1, page_size: 20, total_pages: 1 },
      },
    },
    refusals: [['invalid_parameter', 'page_size: must be a whole number from 1 to 100']],
  },
  {
    id: 'getJob',
    method: 'get',
    path: '/jobs/{job_id}',
    tag: 'Transcription',
    summary: 'Get a job and, once it is completed, its text',
    description:
      'Ask every second or two until `status` is `completed` or `failed`; these are final. All fields are always there: ' +
      'what is not known yet is null.',
    access: 'key or session',
    query: JobQuery,
    parameters: {
      job_id: JOB_PARAMETER,
      words: { description: '`true` adds the words of each segment with their times.', example: 'true' },
    },
    answers: { 200: { description: 'The job.', schema: JobDetail, example: JOB } },
    refusals: [['invalid_parameter', 'words: must be true, or left out'], 'job_not_found'],
  },
  {
    id: 'followJob',
    method: 'get',
    path: '/jobs/{job_id}/events',
    tag: 'Transcription',
    summary: 'Follow a job as it gets on',
    description:
      'Server-Sent Events, as `EventSource` reads them. `status` comes at the beginning and whenever the status is another, ' +
      '`progress` whenever the progress or the place in the queue is; the data of both is the job as it is in lists. The stream ' +
      'ends after the `status` that is `completed` or `failed`. A client whose connection was lost sends the id of the last event ' +
      'as `Last-Event-ID` and goes on from there; one that has seen the end is answered 204. `deleted` says that the job was ' +
      'deleted meanwhile, `unavailable` that nothing can be known now; both end the stream. Comments keep the connection alive. ' +
      'The whole stream counts as one request. An account can follow 50 jobs at a time; more are refused with 429.',
    access: 'key or session',
    parameters: { job_id: JOB_PARAMETER },
    headers: {
      'Last-Event-ID': { description: 'The id of the last event that arrived.', example: 'processing.400.0' },
    },
    answers: {
      200: {
        description: 'The events, as they happen.',
        content: { 'text/event-stream': { schema: { type: 'string' }, example: EVENTS_EXAMPLE } },
      },
      204: { description: 'The job has ended, and the client has seen it.' },
    },
    refusals: ['job_not_found'],
  },
  {
    id: 'changeJob',
    method: 'patch',
    path: '/jobs/{job_id}',
    tag: 'Transcription',
    summary: 'Name the speakers of a job',
    description:
      'The names given replace all earlier ones; `{}` takes them away. The texts keep their numbers.',
    access: 'key or session',
    parameters: { job_id: JOB_PARAMETER },
    body: {
      mediaType: 'application/json',
      schema: JobChange,
      example: { speaker_names: { 'Speaker 1': 'Katie' } },
    },
    answers: { 200: { description: 'The job with its names.', schema: JobDetail, example: JOB } },
    refusals: [
      ['body_unreadable', 'Send the body as JSON, with Content-Type: application/json.'],
      ['invalid_parameter', 'speaker_names.Speaker 1: must have at most 80 characters'],
      'job_not_found',
    ],
  },
  {
    id: 'rediarizeJob',
    method: 'post',
    path: '/jobs/{job_id}/diarization',
    tag: 'Transcription',
    summary: 'Tell the speakers of a completed job apart again',
    description:
      'As another number of speakers; null for a number that is to be found. Nothing is charged, and the words stay as they ' +
      'are. The job stays `completed` and shows its old result, with `diarization_pending`, until the new one is there; ' +
      'names that were given to speakers are then taken away where the speakers are others. It needs what was noted of the ' +
      'voices, which is erased with the recording.',
    access: 'key or session',
    parameters: { job_id: JOB_PARAMETER },
    body: { mediaType: 'application/json', schema: DiarizationRequest, example: { num_speakers: 3 } },
    answers: {
      202: {
        description: 'It is under way. Ask for the job until `diarization_pending` is false.',
        schema: JobDetail,
        example: { ...JOB, diarization_pending: true },
      },
    },
    refusals: [
      ['body_unreadable', 'Send the body as JSON, with Content-Type: application/json.'],
      ['invalid_parameter', 'num_speakers: must be a whole number from 1 to 10, or null'],
      'job_not_found',
      'transcript_not_ready',
      'diarization_pending',
      'voices_erased',
    ],
  },
  {
    id: 'getJobAudio',
    method: 'get',
    path: '/jobs/{job_id}/audio',
    tag: 'Transcription',
    summary: 'Get the recording of a job',
    description:
      'As it was sent. Parts of it may be asked for, which is how players jump. At most 6 recordings of an account can be ' +
      'open at a time; more are refused with 429.',
    access: 'key or session',
    parameters: { job_id: JOB_PARAMETER },
    headers: { Range: { description: 'One range of bytes.', example: 'bytes=0-65535' } },
    answers: {
      200: { description: 'The whole recording.', content: { 'audio/*': { schema: binary } } },
      206: {
        description: 'The range that was asked for.',
        content: { 'audio/*': { schema: binary } },
        headers: {
          'Content-Range': { description: 'Which bytes of how many.', schema: { type: 'string' } },
        },
      },
    },
    refusals: [
      'job_not_found',
      'audio_not_found',
      ['range_not_satisfiable', 'The recording has 1280044 bytes.'],
    ],
  },
  {
    id: 'getTranscript',
    method: 'get',
    path: '/jobs/{job_id}/transcript',
    tag: 'Transcription',
    summary: 'Download the text of a job as a file',
    description: 'Speakers appear under the names that they were given.',
    access: 'key or session',
    query: TranscriptQuery,
    parameters: {
      job_id: JOB_PARAMETER,
      format: { description: 'Everything with times, plain text, or subtitles.', example: 'srt' },
    },
    answers: {
      200: {
        description: 'The file, by its usual media type.',
        content: {
          'application/json': { schema: JobDetail, example: JOB },
          'text/plain': { schema: { type: 'string' } },
          'application/x-subrip': { schema: { type: 'string' } },
          'text/vtt': { schema: { type: 'string' } },
        },
      },
    },
    refusals: [
      ['invalid_parameter', 'format: must be one of json, txt, srt, vtt'],
      'job_not_found',
      'transcript_not_ready',
    ],
  },
  // Last, because what comes after it would not find the job any more.
  {
    id: 'deleteJob',
    method: 'delete',
    path: '/jobs/{job_id}',
    tag: 'Transcription',
    summary: 'Cancel a job, or delete one that has ended',
    description:
      'A job that has not ended is cancelled: it becomes `failed` with `Cancelled by the client`, nothing is charged, and its ' +
      'recording is deleted. A job that has ended is deleted: nobody finds it any more, and its recording, its text and everything ' +
      'derived from them are gone within a minute; what was charged stays charged. A job whose outcome is just being charged ends ' +
      'as it would, and is deleted. To delete what is left of a cancelled job, its name and its row in lists, ask again a minute ' +
      'after it was cancelled, once the receipt says `erased_at`. The answer is the receipt, again and again however often it is asked.',
    access: 'key or session',
    parameters: { job_id: JOB_PARAMETER },
    answers: {
      200: {
        description: 'The receipt; `erased_at` follows when the store has confirmed that nothing is left.',
        schema: DeletionReceipt,
        example: { ...DELETION, erased_at: null, objects: [] },
      },
    },
    refusals: ['job_not_found'],
  },
  {
    id: 'getDeletion',
    method: 'get',
    path: '/jobs/{job_id}/deletion',
    tag: 'Transcription',
    summary: 'Get the receipt of a deletion',
    description:
      'Kept for ever: it says what was deleted, when and at whose request, and nothing of what was in it.',
    access: 'key or session',
    parameters: { job_id: JOB_PARAMETER },
    answers: { 200: { description: 'The receipt.', schema: DeletionReceipt, example: DELETION } },
    refusals: ['deletion_not_found'],
  },
  {
    id: 'listDeletions',
    method: 'get',
    path: '/deletions',
    tag: 'Transcription',
    summary: 'List deletions, newest first',
    description: 'Of the account and the mode of the key, those by age among them.',
    access: 'key or session',
    query: PageQuery,
    parameters: {
      page: { description: 'From 1.', example: 1 },
      page_size: { description: 'From 1 to 100.', example: 20 },
    },
    answers: {
      200: {
        description: 'A page of receipts.',
        schema: DeletionList,
        example: { deletions: [DELETION], total: 1, page: 1, page_size: 20, total_pages: 1 },
      },
    },
    refusals: [['invalid_parameter', 'page_size: must be a whole number from 1 to 100']],
  },
];
