import type { Analysis } from '@currawong/contracts';
import { CANCELLED_MESSAGE, type Job, type JobState } from './job';

export type JobEvent =
  | {
      kind: 'submitted';
      heldSeconds: number;
      sizeBytes: number;
      language: string;
      numSpeakers: number | null;
      prompt: string;
      analysis: Analysis | null;
      webhookUrl: string | null;
    }
  | { kind: 'claimed' }
  | { kind: 'prepared'; durationSeconds: number; chunks: number }
  | {
      kind: 'transcribed';
      durationSeconds: number;
      resultKey: string;
      /** null where the worker kept none */
      voicesKey: string | null;
      /** undefined where it is what was asked for */
      language?: string | undefined;
    }
  | { kind: 'gave_up'; errorMessage: string }
  | { kind: 'charge_refused'; errorMessage: string }
  | { kind: 'settled'; costMicroAud: number }
  | { kind: 'cancelled' }
  | { kind: 'discarded' };

/** Column values that an event sets, by the names of the table `jobs`. */
export interface JobChange {
  from: JobState;
  set: {
    state: JobState;
    held_seconds?: number;
    size_bytes?: number;
    language?: string;
    num_speakers?: number | null;
    prompt?: string;
    analysis?: Analysis | null;
    webhook_url?: string | null;
    duration_seconds?: number;
    chunks?: number;
    outcome?: 'completed' | 'failed';
    result_key?: string | null;
    voices_key?: string | null;
    error_message?: string;
    cost_micro_aud?: number;
  };
}

/**
 * What an event does to a job, or null where it comes too late to matter (a cancelled job's result, a second
 * delivery): a lost race is no error. Pure: times are set by the database when the change is stored.
 */
export function transition(job: Job, event: JobEvent): JobChange | null {
  switch (event.kind) {
    case 'submitted':
      return from(job, ['uploading'], {
        state: 'pending',
        held_seconds: event.heldSeconds,
        size_bytes: event.sizeBytes,
        language: event.language,
        num_speakers: event.numSpeakers,
        prompt: event.prompt,
        analysis: event.analysis,
        webhook_url: event.webhookUrl,
      });
    case 'claimed':
      return from(job, ['pending'], { state: 'processing' });
    case 'prepared':
      return from(job, ['processing'], {
        state: 'processing',
        duration_seconds: event.durationSeconds,
        chunks: event.chunks,
      });
    case 'transcribed':
      return from(job, ['processing'], {
        state: 'settling',
        outcome: 'completed',
        duration_seconds: event.durationSeconds,
        result_key: event.resultKey,
        voices_key: event.voicesKey,
        ...(event.language === undefined ? {} : { language: event.language }),
      });
    case 'gave_up':
      return from(job, ['pending', 'processing'], {
        state: 'settling',
        outcome: 'failed',
        error_message: event.errorMessage,
      });
    case 'charge_refused':
      return job.outcome === 'completed'
        ? from(job, ['settling'], {
            state: 'settling',
            outcome: 'failed',
            result_key: null,
            voices_key: null,
            error_message: event.errorMessage,
          })
        : null;
    case 'settled':
      return from(job, ['settling'], { state: job.outcome ?? 'failed', cost_micro_aud: event.costMicroAud });
    case 'cancelled':
      return from(job, ['uploading', 'pending', 'processing'], {
        state: 'settling',
        outcome: 'failed',
        error_message: CANCELLED_MESSAGE,
        // Nothing was held for an upload: that is how it is told from a job that had been accepted.
        ...(job.state === 'uploading' ? { held_seconds: 0, size_bytes: 0 } : {}),
      });
    case 'discarded':
      return from(job, ['uploading', 'pending', 'processing'], { state: 'discarded' });
  }
}

function from(job: Job, allowed: readonly JobState[], set: JobChange['set']): JobChange | null {
  return allowed.includes(job.state) ? { from: job.state, set } : null;
}
