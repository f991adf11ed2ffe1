import {
  ClaimWork,
  GiveBackWork,
  WorkFinished,
  WorkProgress,
  type WorkOutcome,
  type ReplyOf,
  type WorkReference,
} from '@currawong/contracts';
import {
  done,
  Notices,
  Publisher,
  Requester,
  retry,
  ServiceUnavailable,
  type Delivery,
  type Outcome,
} from '@currawong/messaging';
import { StoreUnavailable } from '@currawong/object-store';
import { crashPoint } from '@currawong/telemetry';
import { Injectable, Logger } from '@nestjs/common';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { AudioRefused } from '../audio/decode';
import { EngineUnavailable } from '../recognition/recognizer';

/** Names this process among all workers, also after a restart on the same host. */
export const WORKER_NAME = `${hostname()}-${process.pid}-${Date.now().toString(36)}`;
const CLAIM_AGAIN_MS = 1_000;
const AT_IT_ALREADY_MS = 5_000;
/** Beyond the database's own limits: a claim that is granted after we stopped listening costs an attempt. */
const CLAIM_DEADLINE_MS = 45_000;
/** A worker on which everything fails leaves the work to others, longer each time. */
const PAUSE_AFTER_BREAKDOWN_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const PROGRESS_AT_MOST_EVERY_MS = 500;
/** After the store, the broker or the engine's server failed: long enough not to spin, short enough to go on soon. */
const OUTAGE_PAUSE_MS = 3_000;
const REPORT_ATTEMPTS = 30;

interface UnderWay {
  jobId: string;
  stopped: AbortController;
}

export interface AttemptContext {
  /** Aborted when the service shuts down and its grace is over, and when the job was cancelled or deleted. */
  signal: AbortSignal;
  /** @param fraction of this piece of work that is done, 0 to 1 */
  progress(fraction: number): void;
}

/**
 * One attempt at one piece of work: claimed before it starts, kept alive while it lasts, reported when it ends. What
 * a worker cannot finish it gives back (a shutdown, an outage) or reports as broken; what it does not even live to
 * report is found by its lease.
 */
@Injectable()
export class Attempt {
  private readonly log = new Logger(Attempt.name);
  /** By work item. */
  private readonly underWay = new Map<string, UnderWay>();
  /** Attempts that broke since one succeeded. */
  private breakdowns = 0;

  constructor(
    private readonly requester: Requester,
    private readonly publisher: Publisher,
    private readonly notices: Notices,
  ) {}

  async run(
    work: WorkReference,
    delivery: Delivery,
    act: (context: AttemptContext, attempt: number) => Promise<WorkOutcome>,
  ): Promise<Outcome> {
    const reference = { job_id: work.job_id, item_id: work.item_id, attempt: work.attempt };
    // A second copy of what this very process is doing: it is looked at again when that has ended.
    if (this.underWay.has(work.item_id)) return retry(AT_IT_ALREADY_MS, 'this worker is at it already');
    const underWay = { jobId: work.job_id, stopped: new AbortController() };
    this.underWay.set(work.item_id, underWay);
    try {
      const claim = await this.claim(reference);
      if (!claim) return retry(CLAIM_AGAIN_MS, 'jobs could not be asked');
      if (!claim.claimed) return done();
      crashPoint('worker.claimed');
      if (underWay.stopped.signal.aborted) return done();
      const ours = { ...reference, attempt: claim.attempt };
      const signals = { shutdown: delivery.signal, stopped: underWay.stopped.signal };
      return await this.perform(ours, signals, claim.lease_seconds, (context) => act(context, claim.attempt));
    } finally {
      this.underWay.delete(work.item_id);
    }
  }

  /** Nobody wants the result any more: whatever is under way for this job ends, and counts as nothing. */
  stop(jobId: string): void {
    for (const underWay of this.underWay.values())
      if (underWay.jobId === jobId)
        underWay.stopped.abort(new Error(`job ${jobId} was cancelled or deleted`));
  }

  private async claim(reference: WorkReference): Promise<ReplyOf<typeof ClaimWork> | null> {
    try {
      const claim = { ...reference, worker: WORKER_NAME };
      const answer = await this.requester.ask(ClaimWork, claim, { deadlineMs: CLAIM_DEADLINE_MS });
      return answer.ok ? answer.value : null;
    } catch (error) {
      this.log.warn(`work ${reference.item_id} cannot be claimed now: ${String(error)}`);
      return null;
    }
  }

  private async perform(
    reference: WorkReference,
    { shutdown, stopped }: { shutdown: AbortSignal; stopped: AbortSignal },
    leaseSeconds: number,
    act: (context: AttemptContext) => Promise<WorkOutcome>,
  ): Promise<Outcome> {
    const pulse = this.keepAlive(reference, leaseSeconds);
    const startedAt = performance.now();
    try {
      const signal = AbortSignal.any([shutdown, stopped]);
      const outcome = await act({ signal, progress: pulse.progress });
      this.log.log(
        `attempt ${reference.attempt} ${outcome.kind} after ${Math.round(performance.now() - startedAt)} ms`,
      );
      crashPoint('worker.finished');
      await this.report(reference, outcome);
      crashPoint('worker.reported');
      this.breakdowns = 0;
    } catch (error) {
      if (stopped.aborted) await this.reportStopped(reference, startedAt);
      else await this.end(reference, shutdown, error);
    } finally {
      pulse.stop();
    }
    return done();
  }

  /** Renews the lease at a third of it, and with every progress worth telling. */
  private keepAlive(reference: WorkReference, leaseSeconds: number) {
    let fraction = 0;
    let toldAt = performance.now();
    const tell = () => {
      toldAt = performance.now();
      try {
        this.notices.send(WorkProgress, { ...reference, fraction });
      } catch {
        // Without a connection the lease runs on; the next pulse may be in time.
      }
    };
    const timer = setInterval(tell, (leaseSeconds * 1000) / 3);
    return {
      progress: (done: number) => {
        fraction = Math.min(1, Math.max(fraction, done));
        if (performance.now() - toldAt >= PROGRESS_AT_MOST_EVERY_MS) tell();
      },
      stop: () => clearInterval(timer),
    };
  }

  private async end(reference: WorkReference, signal: AbortSignal, error: unknown): Promise<void> {
    if (error instanceof AudioRefused) {
      return this.report(reference, { kind: 'refused', code: error.code, detail: error.message });
    }
    const outage =
      error instanceof ServiceUnavailable ||
      error instanceof EngineUnavailable ||
      (error instanceof StoreUnavailable && error.transient);
    if (outage && !signal.aborted) {
      this.log.warn(`work ${reference.item_id} is given back: ${String(error)}`);
      await sleep(OUTAGE_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
    if (outage || signal.aborted) return this.giveBack(reference);
    this.log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    await this.report(reference, {
      kind: 'broke',
      reason: error instanceof Error ? error.message : String(error),
    });
    const pauseMs = Math.min(PAUSE_AFTER_BREAKDOWN_MS * 2 ** this.breakdowns++, LONGEST_PAUSE_MS);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }

  /**
   * Nothing counts that is said now, but whoever deletes what is stored of the job learns that nothing more comes: what was
   * stored before it stopped may have come after the deletion.
   */
  private async reportStopped(reference: WorkReference, startedAt: number): Promise<void> {
    this.log.log(
      `attempt ${reference.attempt} was stopped after ${Math.round(performance.now() - startedAt)} ms: the job is gone`,
    );
    await this.report(reference, { kind: 'broke', reason: 'the job was cancelled or deleted' });
  }

  /** Interruption is not failure. Where even this cannot be said, the lease says it later. */
  private async giveBack(reference: WorkReference): Promise<void> {
    await this.requester
      .ask(GiveBackWork, reference)
      .catch((error: unknown) =>
        this.log.warn(`work ${reference.item_id} waits for its lease: ${String(error)}`),
      );
  }

  /** Hours of recognition may hang on this message, so an outage of the broker is waited for. */
  private async report(reference: WorkReference, outcome: WorkOutcome): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.publisher.publish(
          WorkFinished,
          { ...reference, outcome },
          { messageId: `${reference.item_id}:${reference.attempt}:${outcome.kind}` },
        );
        return;
      } catch (error) {
        if (!(error instanceof ServiceUnavailable) || tries >= REPORT_ATTEMPTS) throw error;
        await sleep(1_000);
      }
    }
  }
}
