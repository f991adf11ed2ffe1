import type { EndedJob, WebhookEvent } from '@currawong/contracts';
import { v5 as uuidv5 } from 'uuid';
import { audNumber } from '../credit/aud';

/** Any fixed one: ids of different kinds must not meet. */
const DELIVERIES_OF_JOBS = '5f1d2b4e-6c0a-5b7e-9d3c-8a1f4e2b7c60';

/** What a receiver is sent, and under which id. */
export interface Message {
  id: string;
  type: WebhookEvent['type'];
  /** JSON. */
  body: string;
}

/** The same for the same end of a job, however often that is told. */
export function messageOfJob(job: EndedJob): Message {
  const type = `job.${job.status}` as const;
  return {
    id: uuidv5(`${job.job_id}:${job.status}`, DELIVERIES_OF_JOBS),
    type,
    body: bodyOf({
      type,
      timestamp: job.completed_at,
      data: {
        id: job.job_id,
        status: job.status,
        mode: job.mode,
        language: job.language,
        audio_duration_seconds: job.audio_duration_seconds,
        audio_duration_minutes: job.audio_duration_seconds === null ? null : job.audio_duration_seconds / 60,
        error_message: job.error_message,
        created_at: job.created_at,
        completed_at: job.completed_at,
        cost_aud: audNumber(job.cost_micro_aud),
        num_speakers: job.num_speakers,
        analysis: job.analysis,
      },
    }),
  };
}

export function testMessage(id: string, now: Date): Message {
  const type = 'webhook.test';
  return { id, type, body: bodyOf({ type, timestamp: now.toISOString(), data: {} }) };
}

function bodyOf(event: WebhookEvent): string {
  return JSON.stringify(event);
}
