import { ConfirmAnnounced, ListUnannounced, type EndedJob } from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Deliveries } from '../deliveries';
import { WEBHOOKS_CONFIG, type WebhooksConfig } from './config';
import { DeliveryRounds } from './delivery-rounds';

/** Confirmations wait this long for others to go with. */
const GATHER_MS = 100;
const CONFIRMED_AT_ONCE = 500;
const ASKED_AT_ONCE = 200;

/**
 * From the end of a job to a delivery that is committed, at least once: what is published on the stream is the fast way;
 * whatever is not confirmed to `jobs` within moments, because it or the confirmation was lost, is asked for.
 */
@Injectable()
export class EndedJobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(EndedJobs.name);
  private readonly stopping = new AbortController();
  private readonly kept = new Set<string>();
  private confirming: Promise<void> | undefined;
  private asking: Promise<void> = Promise.resolve();

  constructor(
    private readonly deliveries: Deliveries,
    private readonly rounds: DeliveryRounds,
    private readonly requester: Requester,
    @Inject(WEBHOOKS_CONFIG) private readonly config: WebhooksConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.asking = this.askOnAndOn();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.asking;
    await this.confirming;
  }

  /** Committed when it returns. */
  async keep(jobs: readonly EndedJob[]): Promise<void> {
    await this.deliveries.write(jobs);
    this.rounds.startSoon();
    for (const { job_id } of jobs) this.kept.add(job_id);
    this.confirming ??= this.confirm().finally(() => (this.confirming = undefined));
  }

  private async confirm(): Promise<void> {
    while (this.kept.size > 0) {
      await sleep(GATHER_MS);
      const job_ids = [...this.kept].slice(0, CONFIRMED_AT_ONCE);
      for (const id of job_ids) this.kept.delete(id);
      await this.requester
        .ask(ConfirmAnnounced, { job_ids })
        // They are told once more, and are known by then.
        .catch((error: unknown) =>
          this.log.warn(`${job_ids.length} ends of jobs not confirmed: ${String(error)}`),
        );
    }
  }

  private async askOnAndOn(): Promise<void> {
    const { signal } = this.stopping;
    const pauseMs = Math.max(1, this.config.WEBHOOK_POLL_SECONDS) * 2_000;
    while (!signal.aborted) {
      const more = await this.askForMissed().catch((error: unknown) => {
        this.log.warn(`missed ends of jobs are asked for later: ${String(error)}`);
        return false;
      });
      if (!more) await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns whether there may be more */
  private async askForMissed(): Promise<boolean> {
    const missed = await this.requester.ask(ListUnannounced, { limit: ASKED_AT_ONCE });
    if (!missed.ok) throw new Error(missed.refusal.code);
    const { jobs } = missed.value;
    if (jobs.length === 0) return false;
    this.log.log(`${jobs.length} ends of jobs had not been heard of`);
    await this.keep(jobs);
    return jobs.length === ASKED_AT_ONCE;
  }
}
