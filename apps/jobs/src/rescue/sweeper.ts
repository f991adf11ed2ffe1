import { DataSource, Outbox } from '@currawong/database';
import { MessagingConnection } from '@currawong/messaging';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { GivenUpAnnouncements } from '../announcements/given-up';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { Releases } from '../dispatch/releases';
import { Reconciliation } from '../reconciliation/reconciliation';
import { AbandonedUploads } from './abandoned-uploads';
import { Deletions } from './deletions';
import { ExpiredAudio } from './expired-audio';
import { ExpiredJobs } from './expired-jobs';
import { FinishedJobs } from './finished-jobs';
import { LostWork } from './lost-work';
import { OldWork } from './old-work';
import { UnsettledJobs } from './unsettled-jobs';

/** What is counted in days need not be looked for every second. */
const EXPIRED_JOBS_INTERVAL_SECONDS = 30;

const OLD_WORK_INTERVAL_SECONDS = 600;

/**
 * Whatever a crash, a lost message or a silent worker left lying is found here, by rows and by the database's clock
 * alone. Each sweep goes round on its own, so that one which waits for a dependency does not hold up the others.
 * Replicas may find the same row: each rescue looks again under the job's lock.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(Sweeper.name);
  private readonly stopping = new AbortController();
  private rounds: Promise<void>[] = [];
  /** Since when, without a break, a worker or a gateway could have been heard here. */
  private hearingSince = performance.now();

  constructor(
    @Inject(JOBS_CONFIG) private readonly config: JobsConfig,
    private readonly source: DataSource,
    private readonly connection: MessagingConnection,
    private readonly outbox: Outbox,
    private readonly lostWork: LostWork,
    private readonly releases: Releases,
    private readonly uploads: AbandonedUploads,
    private readonly unsettled: UnsettledJobs,
    private readonly finished: FinishedJobs,
    private readonly oldWork: OldWork,
    private readonly expiredAudio: ExpiredAudio,
    private readonly announcements: GivenUpAnnouncements,
    private readonly expiredJobs: ExpiredJobs,
    private readonly deletions: Deletions,
    private readonly reconciliation: Reconciliation,
  ) {}

  onApplicationBootstrap(): void {
    const { WORK_LEASE_SECONDS, UPLOAD_LEASE_SECONDS } = this.config;
    this.rounds = [
      this.goRound('hearing', () => this.checkHearing()),
      this.goRound('outbox', () => this.outbox.sweep()),
      // While we were deaf nobody could renew a lease: an outage of ours is no failure of theirs.
      this.goRound('expired leases', () =>
        this.afterHearingFor(WORK_LEASE_SECONDS, () => this.lostWork.sweepExpiredLeases()),
      ),
      this.goRound('abandoned uploads', () =>
        this.afterHearingFor(UPLOAD_LEASE_SECONDS, () => this.uploads.sweepAbandoned()),
      ),
      this.goRound('idempotency keys', () => this.uploads.sweepKeys()),
      this.goRound('waiting work', () => this.releases.sweep()),
      this.goRound('unclaimed work', () => this.lostWork.sweepUnclaimed()),
      this.goRound('stranded jobs', () => this.lostWork.sweepStranded()),
      this.goRound('forsaken rediarizations', () => this.lostWork.sweepForsaken()),
      this.goRound('discarded jobs', () => this.uploads.sweepDiscarded()),
      this.goRound('erasable jobs', () => this.uploads.sweepErasable()),
      this.goRound('unsettled jobs', () => this.unsettled.sweep()),
      this.goRound('finished jobs', () => this.finished.sweep()),
      this.goRound('old work', () => this.oldWork.sweep(), OLD_WORK_INTERVAL_SECONDS),
      this.goRound('deletions', () => this.deletions.sweep()),
      this.goRound('expired jobs', () => this.expiredJobs.sweep(), EXPIRED_JOBS_INTERVAL_SECONDS),
      this.goRound('changed retention', () => this.expiredAudio.sweepChanged()),
      this.goRound('expired audio', () => this.expiredAudio.sweepDue()),
      this.goRound('given up announcements', () => this.announcements.sweep(), 600),
      this.goRound(
        'holds and jobs',
        () => this.reconciliation.sweep(),
        this.config.RECONCILE_INTERVAL_SECONDS,
      ),
    ];
  }

  /** Before the database is closed, which happens at the end of the shutdown. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.rounds);
  }

  private async goRound(
    name: string,
    sweep: () => Promise<unknown>,
    intervalSeconds = this.config.SWEEP_INTERVAL_SECONDS,
  ): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await sweep().catch((error: unknown) => this.log.warn(`sweep of ${name}: ${String(error)}`));
      await sleep(intervalSeconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  }

  private async checkHearing(): Promise<void> {
    const heard =
      this.connection.isReady() && (await this.source.query('SELECT 1').then(Boolean, () => false));
    if (!heard) this.hearingSince = performance.now();
  }

  private async afterHearingFor(seconds: number, sweep: () => Promise<void>): Promise<void> {
    if (performance.now() - this.hearingSince > seconds * 1000) await sweep();
  }
}
