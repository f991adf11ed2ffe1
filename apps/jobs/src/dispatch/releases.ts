import { DataSource, Outbox, rows } from '@currawong/database';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { slotsUp } from '../engines/engines';
import { queueLeaseSeconds } from '../lifecycle/attempts';
import type { Duty } from './duties';
import type { JobRecord } from '../storage/job-records';
import {
  dutiesWithWaiting,
  forgetTurnsPast,
  keepTurns,
  lockReleases,
  readContenders,
  readReleased,
  readVirtualTime,
  releaseWaiting,
} from '../storage/waiting-work';
import { chooseTurns } from './fair-order';
import { hasRoom, windowOf, withOneMore } from './window';
import { WorkMessages } from './work-messages';

/** One transaction's worth of messages; a round goes on until there is no room. */
const AT_A_TIME = 64;

/**
 * Releases waiting work to the stream as there is room, in the fair order. Whatever may have made room, or made work wait,
 * nudges; a sweep does for whoever died before nudging. Replicas take turns by a lock of the database.
 */
@Injectable()
export class Releases implements OnModuleDestroy {
  private readonly log = new Logger(Releases.name);
  private round: Promise<void> | undefined;
  private wanted = false;
  private stopped = false;

  constructor(
    private readonly source: DataSource,
    @Inject(JOBS_CONFIG) private readonly config: JobsConfig,
    private readonly outbox: Outbox,
    private readonly messages: WorkMessages,
  ) {}

  /** Many at once make one round, and one more after it: the one under way may have looked before. */
  nudge(): void {
    this.wanted = true;
    if (this.stopped || this.round) return;
    this.round = this.goRound()
      .catch((error: unknown) => this.log.warn(`releases are left to the sweep: ${String(error)}`))
      .finally(() => {
        this.round = undefined;
        if (this.wanted) this.nudge();
      });
  }

  async sweep(): Promise<void> {
    this.nudge();
    await this.round;
    await forgetTurnsPast(this.source);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    await this.round;
  }

  private async goRound(): Promise<void> {
    this.wanted = false;
    for (const duty of await dutiesWithWaiting(this.source))
      while (!this.stopped && (await this.release(duty)) === AT_A_TIME);
  }

  /** @returns how many pieces were released */
  release(duty: Duty): Promise<number> {
    return this.outbox.transaction(async (manager, send) => {
      await lockReleases(manager, duty);
      const window = windowOf(duty, await slotsUp(manager), this.config.DISPATCH_AHEAD_SECONDS);
      let released = await readReleased(manager, duty);
      if (!hasRoom(window, released, 0)) return 0;
      const contenders = await readContenders(manager, duty, this.config.ACCOUNT_CONCURRENCY ?? null);
      let chosen = 0;
      const turns = chooseTurns(contenders, await readVirtualTime(manager, duty), ({ seconds }) => {
        if (chosen === AT_A_TIME || !hasRoom(window, released, seconds)) return false;
        released = withOneMore(released, seconds);
        chosen++;
        return true;
      });
      if (turns.ids.length === 0) return 0;
      // A piece that somebody is changing at this moment is charged for without a turn: it happens to its own account.
      await keepTurns(manager, duty, turns);
      const leaseSeconds = queueLeaseSeconds(0, this.config.QUEUE_LEASE_SECONDS);
      const items = await releaseWaiting(manager, turns.ids, leaseSeconds);
      const jobs = await rows<JobRecord>(manager, 'SELECT * FROM jobs WHERE id = ANY($1)', [
        items.map(({ job_id }) => job_id),
      ]);
      for (const item of items) {
        const job = jobs.find(({ id }) => id === item.job_id);
        if (job) await this.messages.send(manager, send, job, item);
      }
      return items.length;
    });
  }
}
