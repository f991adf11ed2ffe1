import { Outbox, rows, DataSource } from '@currawong/database';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { Dispatcher } from '../dispatch/dispatcher';
import { countFailedAttempt, countRescue } from '../metrics/metrics';
import { Attempts } from '../results/attempts';
import { REDIARIZATION_GAVE_UP } from '../lifecycle/rediarization';
import { applyRediarization, lockJob } from '../storage/job-records';
import { findWork, workOfJob, type WorkRecord } from '../storage/work-records';
import { forEveryRow } from './every-row';

/** Longer than it takes to ask for speakers to be told apart anew. */
const REDIARIZING_AFTER_SECONDS = 10;

/** Work whose worker, message or report is gone. */
@Injectable()
export class LostWork {
  private readonly log = new Logger(LostWork.name);

  constructor(
    private readonly source: DataSource,
    private readonly outbox: Outbox,
    private readonly dispatcher: Dispatcher,
    private readonly attempts: Attempts,
    @Inject(JOBS_CONFIG) private readonly config: Pick<JobsConfig, 'STRANDED_AFTER_SECONDS'>,
  ) {}

  /** A worker has not renewed its lease: its attempt is lost. What this decides to fail, the next sweep settles. */
  sweepExpiredLeases(): Promise<void> {
    return this.forEveryExpired('running', async (item) => {
      const isLost = await this.source.transaction(async (manager) => {
        const job = await lockJob(manager, item.job_id);
        const current = await findWork(manager, item.id);
        // Renewed or finished while the page was read.
        if (!job || current?.state !== 'running' || current.lease_expires_at > item.lease_expires_at)
          return false;
        await this.attempts.lost(manager, job, current, `worker ${current.worker} was not heard of in time`);
        return true;
      });
      if (!isLost) return;
      countRescue('lost_lease');
      countFailedAttempt(item.stage, 'lost');
    });
  }

  /** Nobody claimed the work: its message may be lost, so it is sent again. No attempt was made, none is counted. */
  sweepUnclaimed(): Promise<void> {
    return this.forEveryExpired('queued', async (item) => {
      const isSent = await this.outbox.transaction(async (manager, send) => {
        const job = await lockJob(manager, item.job_id);
        const current = await findWork(manager, item.id);
        // Work that waits for its turn has no message that could be lost.
        if (!job || current?.state !== 'queued' || current.release_after !== null) return false;
        if (current.attempt !== item.attempt) return false;
        await this.dispatcher.again(manager, send, job, item, { resends: item.resends + 1 });
        return true;
      });
      if (isSent) countRescue('unclaimed');
    });
  }

  /**
   * A job under way with no work left to wait for: a report was lost after its sender had been acknowledged. The
   * recording is cut again, which makes whatever pieces are missing; like any lost attempt, not for ever.
   */
  sweepStranded(): Promise<void> {
    return forEveryRow(
      (afterId, limit) =>
        rows<{ id: string }>(
          this.source,
          `SELECT id FROM jobs j
            WHERE state IN ('pending', 'processing') AND changed_at < now() - make_interval(secs => $3) AND id > $1
              AND NOT EXISTS (SELECT FROM work_items w WHERE w.job_id = j.id AND
                              (w.state IN ('queued', 'running') OR w.finished_at > now() - make_interval(secs => $3)))
            ORDER BY id LIMIT $2`,
          [afterId, limit, this.config.STRANDED_AFTER_SECONDS],
        ),
      async ({ id }) => {
        const stranded = await this.source.transaction(async (manager) => {
          const job = await lockJob(manager, id);
          if (job?.state !== 'pending' && job?.state !== 'processing') return undefined;
          const items = await workOfJob(manager, id);
          if (items.some((item) => item.state === 'queued' || item.state === 'running')) return undefined;
          const first = items.find((item) => item.stage === 'prepare' || item.stage === 'whole');
          if (first) await this.attempts.lost(manager, job, first, 'a report was lost');
          return first;
        });
        if (!stranded) return;
        countRescue('stranded');
        countFailedAttempt(stranded.stage, 'lost');
      },
      (job, error) => this.log.warn(`job ${job.id} stays stranded: ${String(error)}`),
    );
  }

  /**
   * A completed job whose speakers are being told apart anew, by work that is not there or has ended: a replica that
   * does not know of it dropped it, as during a change of versions. It is given up, or it could not be asked for again.
   */
  sweepForsaken(): Promise<void> {
    return forEveryRow(
      (afterId, limit) =>
        rows<{ id: string }>(
          this.source,
          `SELECT id FROM jobs j
            WHERE diarization_item_id IS NOT NULL AND changed_at < now() - make_interval(secs => $3) AND id > $1
              AND NOT EXISTS (SELECT FROM work_items w
                               WHERE w.id = j.diarization_item_id AND w.state IN ('queued', 'running'))
            ORDER BY id LIMIT $2`,
          [afterId, limit, REDIARIZING_AFTER_SECONDS],
        ),
      async ({ id }) => {
        const isForsaken = await this.source.transaction(async (manager) => {
          // Whoever makes or ends the work holds this lock until job and work agree.
          const job = await lockJob(manager, id);
          const itemId = job?.diarization_item_id;
          if (!job || !itemId) return false;
          const item = await findWork(manager, itemId);
          if (item?.state === 'queued' || item?.state === 'running') return false;
          return applyRediarization(manager, job, {
            ...{ kind: 'gave_up', itemId, errorMessage: REDIARIZATION_GAVE_UP },
          });
        });
        if (!isForsaken) return;
        this.log.warn(`the work that tells the speakers of job ${id} apart anew is gone: it is given up`);
        countRescue('stranded');
      },
      (job, error) => this.log.warn(`job ${job.id} still waits for its speakers: ${String(error)}`),
    );
  }

  private forEveryExpired(
    state: WorkRecord['state'],
    rescue: (item: WorkRecord) => Promise<void>,
  ): Promise<void> {
    return forEveryRow(
      (afterId, limit) =>
        rows<WorkRecord>(
          this.source,
          // A release that knows nothing of `release_after` does not clear it when work is claimed.
          `SELECT * FROM work_items
            WHERE state = $1 AND ($1 = 'running' OR release_after IS NULL) AND lease_expires_at < now() AND id > $2 ORDER BY id LIMIT $3`,
          [state, afterId, limit],
        ),
      rescue,
      (item, error) => this.log.warn(`work ${item.id} stays ${state}: ${String(error)}`),
    );
  }
}
