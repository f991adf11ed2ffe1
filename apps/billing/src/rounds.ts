import { setTimeout as sleep } from 'node:timers/promises';
import { Outbox } from '@currawong/database';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { UnsettledTopUps } from './topups/unsettled';

const OUTBOX_SECONDS = 5;
const TOP_UPS_SECONDS = 300;

/** What a crash or a lost message left lying is found here, each kind on a round of its own. */
@Injectable()
export class Rounds implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(Rounds.name);
  private readonly stopping = new AbortController();
  private rounds: Promise<void>[] = [];

  constructor(
    private readonly outbox: Outbox,
    private readonly topUps: UnsettledTopUps,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds = [
      this.goRound('the outbox', OUTBOX_SECONDS, () => this.outbox.sweep()),
      this.goRound('unsettled top-ups', TOP_UPS_SECONDS, () =>
        this.topUps.sweep(undefined, this.stopping.signal),
      ),
    ];
  }

  /** Before the database is closed, which happens at the end of the shutdown. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.rounds);
  }

  private async goRound(name: string, seconds: number, sweep: () => Promise<unknown>): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await sweep().catch((error: unknown) => this.log.warn(`sweep of ${name}: ${String(error)}`));
      await sleep(seconds * 1_000, undefined, { signal }).catch(() => undefined);
    }
  }
}
