import {
  ChunkCut,
  WorkFinished,
  type Chunk,
  type PayloadOf,
  type WorkOutcome,
  type WorkReference,
} from '@currawong/contracts';
import { DataSource, Outbox, type EntityManager, type Send } from '@currawong/database';
import { Consumes, done, type Outcome } from '@currawong/messaging';
import { crashPoint } from '@currawong/telemetry';
import { Controller, Inject, Logger } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { Dispatcher } from '../dispatch/dispatcher';
import { Releases } from '../dispatch/releases';
import { haveSameBorders } from '../lifecycle/chunk-borders';
import { countFailedAttempt, stageSeconds } from '../metrics/metrics';
import { secondsSinceClaim } from '../metrics/spans-of-time';
import { lookAgain } from '../storage/deletion-records';
import { applyEvent, applyRediarization, lockJob, type JobRecord } from '../storage/job-records';
import {
  dropChunksFrom,
  dropWork,
  findChunk,
  findWork,
  finishWork,
  forgetAssembly,
  isBeingCut,
  recognizedAttempts,
  renewLease,
  type WorkRecord,
} from '../storage/work-records';
import { Attempts } from './attempts';
import { LongerThanHeld } from './longer-than-held';
import { Settlement } from './settlement';

const CONSUMER = { slots: 16, ackWaitSeconds: 60 };

/** What workers report becomes the next stage, or the end. An older attempt's report changes nothing. */
@Controller()
export class ResultsController {
  private readonly log = new Logger(ResultsController.name);

  constructor(
    @Inject(JOBS_CONFIG) private readonly config: JobsConfig,
    private readonly source: DataSource,
    private readonly outbox: Outbox,
    private readonly dispatcher: Dispatcher,
    private readonly attempts: Attempts,
    private readonly longerThanHeld: LongerThanHeld,
    private readonly settlement: Settlement,
    private readonly releases: Releases,
  ) {}

  /** Recognition of a chunk starts while the rest of the recording is still being cut. */
  @Consumes({ ...CONSUMER, durable: 'jobs-chunks', contracts: ChunkCut })
  async chunkCut({ chunk, ...reference }: PayloadOf<typeof ChunkCut>): Promise<Outcome> {
    const unpaid = await this.longerThanHeld.refusal(reference.job_id, chunk.end_seconds);
    const decided = await this.outbox.transaction(async (manager, send) => {
      const job = await lockJob(manager, reference.job_id);
      if (job?.state !== 'processing') return null;
      const cutting = await findWork(manager, reference.item_id);
      if (!cutting || reference.attempt > cutting.attempt) return null;
      // Late, from an attempt that found more chunks than there are.
      if (cutting.state === 'done' && job.chunks !== null && chunk.index >= job.chunks) return null;
      if (unpaid !== null) return this.giveUp(manager, job, unpaid);
      await this.recognize(manager, send, job, chunk, reference.attempt === cutting.attempt);
      return null;
    });
    this.settleSoon(decided);
    return done();
  }

  /**
   * One release cuts a recording the same way each time, so an earlier attempt's chunk is as good as this one's. Another
   * release may cut at other places: then all chunks must become those of the newest attempt, or some words would be
   * there twice and others not at all.
   */
  private async recognize(
    manager: EntityManager,
    send: Send,
    job: JobRecord,
    chunk: Chunk,
    isOfNewestAttempt: boolean,
  ): Promise<void> {
    const known = await findChunk(manager, job.id, chunk.index);
    if (!known) return this.dispatcher.start(manager, send, job, 'recognize', chunk);
    const isAsGood = known.state !== 'dropped' && known.chunk && haveSameBorders(known.chunk, chunk);
    if (!isOfNewestAttempt || isAsGood) return;
    await forgetAssembly(manager, job.id);
    await this.dispatcher.replaceChunk(manager, send, job, known, chunk);
  }

  @Consumes({ ...CONSUMER, durable: 'jobs-results', contracts: WorkFinished })
  async workFinished({ outcome, ...reference }: PayloadOf<typeof WorkFinished>): Promise<Outcome> {
    // The worker is silent from now on; what follows may have to wait for billing, and must not cost the attempt.
    await renewLease(this.source, reference, 1, this.config.WORK_LEASE_SECONDS);
    const unpaid =
      outcome.kind === 'prepared'
        ? await this.longerThanHeld.refusal(reference.job_id, outcome.duration_seconds)
        : null;
    let reported: WorkRecord | undefined;
    const decided = await this.outbox.transaction(async (manager, send) => {
      const job = await lockJob(manager, reference.job_id);
      if (!job) return null;
      reported = await this.reportedWork(manager, reference, outcome.kind);
      if (!reported) return this.ignored(reference);
      if (outcome.kind === 'broke') return this.attempts.lost(manager, job, reported, outcome.reason);
      return unpaid === null
        ? this.advance(manager, send, job, outcome, reported)
        : this.giveUp(manager, job, unpaid);
    });
    crashPoint('results.recorded');
    this.releases.nudge();
    if (reported) this.count(reported, outcome.kind);
    // Late, for a job that was deleted meanwhile: what it stored before it said so is to go.
    else await lookAgain(this.source, reference.job_id);
    this.settleSoon(decided);
    return done();
  }

  private async advance(
    manager: EntityManager,
    send: Send,
    job: JobRecord,
    outcome: Exclude<WorkOutcome, { kind: 'broke' }>,
    item: WorkRecord,
  ): Promise<JobRecord | null> {
    switch (outcome.kind) {
      case 'prepared': {
        const { duration_seconds: durationSeconds, chunks } = outcome;
        const prepared = await applyEvent(manager, job, { kind: 'prepared', durationSeconds, chunks });
        await dropChunksFrom(manager, job.id, chunks);
        if (prepared) await this.assembleWhenReady(manager, send, prepared);
        return null;
      }
      case 'recognized':
        await this.assembleWhenReady(manager, send, job);
        return null;
      case 'transcribed':
        await dropWork(manager, job.id);
        return applyEvent(manager, job, {
          kind: 'transcribed',
          durationSeconds: outcome.duration_seconds,
          resultKey: outcome.result_key,
          voicesKey: outcome.voices_key ?? null,
          language: outcome.language,
        });
      case 'rediarized':
        await applyRediarization(manager, job, {
          kind: 'rediarized',
          itemId: item.id,
          resultKey: outcome.result_key,
          speakersChanged: outcome.speakers_changed,
        });
        return null;
      case 'refused':
        if (item.stage === 'rediarize') {
          await applyRediarization(manager, job, {
            ...{ kind: 'gave_up', itemId: item.id, errorMessage: outcome.detail },
          });
          return null;
        }
        return this.giveUp(manager, job, outcome.detail);
    }
  }

  /**
   * Speakers are told apart over the whole recording: the last stage starts when every chunk has its words, and none is
   * about to take the place of another.
   */
  private async assembleWhenReady(manager: EntityManager, send: Send, job: JobRecord): Promise<void> {
    if (job.state !== 'processing' || job.chunks === null) return;
    const recognized = await recognizedAttempts(manager, job.id, job.chunks);
    if (recognized.length < job.chunks || (await isBeingCut(manager, job.id))) return;
    await this.dispatcher.start(manager, send, job, 'assemble');
  }

  /** The work that a report is about, done where it says so; undefined where the report comes too late to count. */
  private async reportedWork(
    manager: EntityManager,
    reference: WorkReference,
    kind: WorkOutcome['kind'],
  ): Promise<WorkRecord | undefined> {
    if (kind !== 'broke') return finishWork(manager, reference);
    const item = await findWork(manager, reference.item_id);
    return item?.state === 'running' && item.attempt === reference.attempt ? item : undefined;
  }

  private count(item: WorkRecord, kind: WorkOutcome['kind']): void {
    const outcome = kind === 'broke' || kind === 'refused' ? kind : 'done';
    stageSeconds.observe({ stage: item.stage, outcome }, secondsSinceClaim(item));
    if (kind === 'broke') countFailedAttempt(item.stage, 'broke');
  }

  private async giveUp(
    manager: EntityManager,
    job: JobRecord,
    errorMessage: string,
  ): Promise<JobRecord | null> {
    await dropWork(manager, job.id);
    return applyEvent(manager, job, { kind: 'gave_up', errorMessage });
  }

  /**
   * Settled at once rather than by the sweep, because a client is waiting; but not waited for, because billing may be
   * slow and the next report should not be.
   */
  private settleSoon(job: JobRecord | null): void {
    if (job?.state !== 'settling') return;
    this.settlement
      .settle(job.id)
      .catch((error: unknown) =>
        this.log.warn(`job ${job.id} is left to the sweep to settle: ${String(error)}`),
      );
  }

  private ignored(reference: WorkReference): null {
    this.log.debug(`ignored a late report of attempt ${reference.attempt} at ${reference.item_id}`);
    return null;
  }
}
