import {
  AssembleWork,
  PrepareWork,
  RecognizeWork,
  RediarizeWork,
  WholeWork,
  type Chunk,
  type Stage,
} from '@currawong/contracts';
import type { EntityManager, Send } from '@currawong/database';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { queueLeaseSeconds, retryDelaySeconds } from '../lifecycle/attempts';
import { TEST_RECORDING_SECONDS } from '../lifecycle/job';
import type { JobRecord } from '../storage/job-records';
import {
  countWork,
  insertWork,
  recognizedAttempts,
  replaceChunk,
  requeueWork,
  type WorkRecord,
} from '../storage/work-records';

/** Turns work items into messages for the workers, in the transaction that makes or changes the item. */
@Injectable()
export class Dispatcher {
  constructor(@Inject(JOBS_CONFIG) private readonly config: JobsConfig) {}

  /** Makes a piece of work and sends it; does nothing where the job has that piece already. */
  async start(
    manager: EntityManager,
    send: Send,
    job: JobRecord,
    stage: Stage,
    chunk?: Chunk,
  ): Promise<void> {
    const item = await insertWork(manager, {
      id: uuidv7(),
      jobId: job.id,
      stage,
      ...(chunk ? { chunk } : {}),
      leaseSeconds: queueLeaseSeconds(0, this.config.QUEUE_LEASE_SECONDS),
    });
    if (item) await this.sendWork(manager, send, job, item);
  }

  /** Has another part of the recording recognized in the place of this one. */
  async replaceChunk(
    manager: EntityManager,
    send: Send,
    job: JobRecord,
    item: Pick<WorkRecord, 'id' | 'attempt'>,
    chunk: Chunk,
  ): Promise<void> {
    const leaseSeconds = queueLeaseSeconds(0, this.config.QUEUE_LEASE_SECONDS);
    const replaced = await replaceChunk(manager, item, { id: uuidv7(), chunk, leaseSeconds });
    if (replaced) await this.sendWork(manager, send, job, replaced);
  }

  /** Has the speakers of a completed job told apart anew. `itemId` is what the job says is under way. */
  async rediarize(manager: EntityManager, send: Send, job: JobRecord, itemId: string): Promise<void> {
    const item = await insertWork(manager, {
      ...{ id: itemId, jobId: job.id, stage: 'rediarize' },
      // A job may have it done many times: each is a piece of its own.
      index: await countWork(manager, job.id, 'rediarize'),
      leaseSeconds: queueLeaseSeconds(0, this.config.QUEUE_LEASE_SECONDS),
    });
    if (item) await this.sendWork(manager, send, job, item);
  }

  /** Sends a piece of work again under its next attempt; does nothing where this attempt is no longer the newest. */
  async again(
    manager: EntityManager,
    send: Send,
    job: JobRecord,
    item: Pick<WorkRecord, 'id' | 'attempt'>,
    why: { resends?: number; lastError?: string },
  ): Promise<void> {
    const leaseSeconds = queueLeaseSeconds(why.resends ?? 0, this.config.QUEUE_LEASE_SECONDS);
    const requeued = await requeueWork(manager, item, { ...why, leaseSeconds });
    if (requeued) await this.sendWork(manager, send, job, requeued);
  }

  /**
   * Queues a piece of work again whose attempt failed, without a message: the sweep of unclaimed work sends it when the
   * delay is over. A worker that fails at once (a full disk, a broken engine) would otherwise use up the attempts of
   * every job there is within moments.
   */
  async later(
    manager: EntityManager,
    item: Pick<WorkRecord, 'id' | 'attempt'>,
    why: { failures: number; lastError: string },
  ): Promise<void> {
    const leaseSeconds = retryDelaySeconds(why.failures, this.config.RETRY_DELAY_SECONDS);
    await requeueWork(manager, item, { ...why, leaseSeconds });
  }

  private async sendWork(
    manager: EntityManager,
    send: Send,
    job: JobRecord,
    item: WorkRecord,
  ): Promise<void> {
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
