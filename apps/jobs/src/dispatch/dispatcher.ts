import type { Chunk, Stage } from '@currawong/contracts';
import type { EntityManager, Send } from '@currawong/database';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { WORKS_FOR_SECONDS } from '../engines/engines';
import { queueLeaseSeconds, retryDelaySeconds } from '../lifecycle/attempts';
import { heardSeconds } from '../lifecycle/job';
import { DUTY_OF_STAGE } from './duties';
import type { JobRecord } from '../storage/job-records';
import { readRoom, tryLockReleases } from '../storage/waiting-work';
import {
  countWork,
  insertWork,
  replaceChunk,
  requeueWork,
  type NewWork,
  type WorkRecord,
} from '../storage/work-records';
import { Releases } from './releases';
import { hasRoom, windowOf } from './window';
import { WorkMessages } from './work-messages';

/**
 * Turns work items into messages for the workers, in the transaction that makes or changes the item; or leaves them to wait
 * for their account's turn, where there is no room or somebody else waits.
 */
@Injectable()
export class Dispatcher {
  constructor(
    @Inject(JOBS_CONFIG) private readonly config: JobsConfig,
    private readonly messages: WorkMessages,
    private readonly releases: Releases,
  ) {}

  /** Makes a piece of work and sends it; does nothing where the job has that piece already. */
  async start(
    manager: EntityManager,
    send: Send,
    job: JobRecord,
    stage: Stage,
    chunk?: Chunk,
  ): Promise<void> {
    const made = await this.newWork(manager, job, stage, chunk);
    const item = await insertWork(manager, { ...made, id: uuidv7(), jobId: job.id, stage });
    if (item) await this.sendOrWait(manager, send, job, item);
  }

  /** Has another part of the recording recognized in the place of this one. */
  async replaceChunk(
    manager: EntityManager,
    send: Send,
    job: JobRecord,
    item: Pick<WorkRecord, 'id' | 'attempt'>,
    chunk: Chunk,
  ): Promise<void> {
    const made = await this.newWork(manager, job, 'recognize', chunk);
    const replaced = await replaceChunk(manager, item, { ...made, id: uuidv7(), chunk });
    if (replaced) await this.sendOrWait(manager, send, job, replaced);
  }

  /** Has the speakers of a completed job told apart anew. `itemId` is what the job says is under way. */
  async rediarize(manager: EntityManager, send: Send, job: JobRecord, itemId: string): Promise<void> {
    const item = await insertWork(manager, {
      ...(await this.newWork(manager, job, 'rediarize')),
      ...{ id: itemId, jobId: job.id, stage: 'rediarize' },
      // A job may have it done many times: each is a piece of its own.
      index: await countWork(manager, job.id, 'rediarize'),
    });
    if (item) await this.sendOrWait(manager, send, job, item);
  }

  /**
   * Sends a piece of work again under its next attempt; does nothing where this attempt is no longer the newest. It had its
   * turn, and keeps its place in the window.
   */
  async again(
    manager: EntityManager,
    send: Send,
    job: JobRecord,
    item: Pick<WorkRecord, 'id' | 'attempt'>,
    why: { resends?: number; lastError?: string },
  ): Promise<void> {
    const leaseSeconds = queueLeaseSeconds(why.resends ?? 0, this.config.QUEUE_LEASE_SECONDS);
    const requeued = await requeueWork(manager, item, { ...why, leaseSeconds });
    if (requeued) await this.messages.send(manager, send, job, requeued);
  }

  /**
   * Queues a piece of work again whose attempt failed: it waits for its delay, then for its turn. A worker that fails at
   * once (a full disk, a broken engine) would otherwise use up the attempts of every job there is within moments.
   */
  async later(
    manager: EntityManager,
    job: JobRecord,
    item: Pick<WorkRecord, 'id' | 'attempt'>,
    why: { failures: number; lastError: string },
  ): Promise<void> {
    const leaseSeconds = retryDelaySeconds(why.failures, this.config.RETRY_DELAY_SECONDS);
    const waits = { accountId: job.account_id, audioSeconds: heardSeconds(job), seconds: leaseSeconds };
    await requeueWork(manager, item, { ...why, leaseSeconds, waits });
  }

  /** Whose a new piece of work is, how long, and whether it waits. */
  private async newWork(
    manager: EntityManager,
    job: JobRecord,
    stage: Stage,
    chunk?: Chunk,
  ): Promise<NewWork> {
    const audioSeconds = chunk ? chunk.end_seconds - chunk.start_seconds : heardSeconds(job);
    const waits = !(await this.maySend(manager, job, stage, audioSeconds));
    return {
      ...{ accountId: job.account_id, audioSeconds, waits },
      ...(chunk ? { chunk } : {}),
      leaseSeconds: waits ? WAITING_LEASE_SECONDS : queueLeaseSeconds(0, this.config.QUEUE_LEASE_SECONDS),
    };
  }

  /** While somebody else decides what is released, it waits for that decision, which is made again at once. */
  private async maySend(
    manager: EntityManager,
    job: JobRecord,
    stage: Stage,
    seconds: number,
  ): Promise<boolean> {
    // The end of work that has had all of its turns: a moment, for which a whole recording would wait.
    if (stage === 'assemble') return true;
    const duty = DUTY_OF_STAGE[stage];
    if (!(await tryLockReleases(manager, duty))) return false;
    const room = await readRoom(manager, duty, job.account_id, WORKS_FOR_SECONDS);
    const concurrency = room.concurrency ?? this.config.ACCOUNT_CONCURRENCY ?? Infinity;
    const window = windowOf(duty, room.slots, this.config.DISPATCH_AHEAD_SECONDS);
    return !room.somebodyWaits && room.ofAccount < concurrency && hasRoom(window, room, seconds);
  }

  private async sendOrWait(
    manager: EntityManager,
    send: Send,
    job: JobRecord,
    item: WorkRecord,
  ): Promise<void> {
    if (item.release_after === null) return this.messages.send(manager, send, job, item);
    send.afterCommit(() => this.releases.nudge());
  }
}

/** Means something to a release before this one alone: when it sends what waits. See the migration. */
const WAITING_LEASE_SECONDS = 900;
