import { AssembleWork, PrepareWork, RecognizeWork, RediarizeWork, WholeWork } from '@currawong/contracts';
import type { EntityManager, Send } from '@currawong/database';
import { Inject, Injectable } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { TEST_RECORDING_SECONDS } from '../lifecycle/job';
import type { JobRecord } from '../storage/job-records';
import { recognizedAttempts, type WorkRecord } from '../storage/work-records';

/** What a worker is told of a piece of work: everything that it needs to do it. */
@Injectable()
export class WorkMessages {
  constructor(@Inject(JOBS_CONFIG) private readonly config: JobsConfig) {}

  async send(manager: EntityManager, send: Send, job: JobRecord, item: WorkRecord): Promise<void> {
    const reference = { job_id: job.id, item_id: item.id, attempt: item.attempt };
    const options = { messageId: `${item.id}:${item.attempt}` };
    switch (item.stage) {
      case 'whole':
      case 'prepare':
        return send(
          item.stage === 'whole' ? WholeWork : PrepareWork,
          {
            ...reference,
            source_key: job.source_key,
            language: job.language,
            prompt: job.prompt,
            num_speakers: job.num_speakers,
            analysis: job.analysis,
            declared_seconds: job.held_seconds ?? 0,
            max_seconds: this.config.MAX_RECORDING_SECONDS,
            truncate_after_seconds: job.mode === 'test' ? TEST_RECORDING_SECONDS : null,
          },
          options,
        );
      case 'recognize':
        return send(
          RecognizeWork,
          {
            ...reference,
            chunk: item.chunk!,
            language: job.language,
            prompt: job.prompt,
            analysis: job.analysis,
          },
          options,
        );
      case 'assemble':
        return send(
          AssembleWork,
          {
            ...reference,
            language: job.language,
            num_speakers: job.num_speakers,
            analysis: job.analysis,
            duration_seconds: job.duration_seconds ?? 0,
            chunk_attempts: await recognizedAttempts(manager, job.id, job.chunks ?? 0),
          },
          options,
        );
      case 'rediarize':
        // Without its voices there is nothing to send; the sweep of unclaimed work looks again.
        if (job.result_key === null || job.voices_key === null) return;
        return send(
          RediarizeWork,
          {
            ...reference,
            num_speakers: job.diarization_num_speakers,
            analysis: job.analysis,
            result_key: job.result_key,
            voices_key: job.voices_key,
          },
          options,
        );
    }
  }
}
