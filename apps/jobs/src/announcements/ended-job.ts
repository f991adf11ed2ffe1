import type { EndedJob } from '@currawong/contracts';
import { billableSeconds } from '../lifecycle/job';
import type { JobRecord } from '../storage/job-records';

/** What is told of a job that has ended. @throws Error for one that has not */
export function asEndedJob(job: JobRecord): EndedJob {
  const { state, completed_at } = job;
  if ((state !== 'completed' && state !== 'failed') || !completed_at)
    throw new Error(`job ${job.id} has not ended: ${state}`);
  return {
    job_id: job.id,
    account_id: job.account_id,
    mode: job.mode,
    status: state,
    language: job.language,
    audio_duration_seconds:
      state === 'completed' && job.duration_seconds !== null ? billableSeconds(job.duration_seconds) : null,
    error_message: state === 'failed' ? job.error_message : null,
    created_at: job.created_at.toISOString(),
    completed_at: completed_at.toISOString(),
    cost_micro_aud: Number(job.cost_micro_aud ?? 0),
    num_speakers: job.num_speakers,
    analysis: job.analysis,
    webhook_url: job.webhook_url,
  };
}
