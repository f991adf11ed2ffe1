import { settlesWithin } from '@currawong/messaging';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Claims, type Claimed } from './claims';
import { WEBHOOKS_CONFIG, type WebhooksConfig } from './config';
import { Sender } from './sender';

/** A receiver that is about to answer when the process is told to stop may still do so. */
const FINISH_WITHIN_MS = 2_000;
const GIVE_BACK_WITHIN_MS = 2_000;

/** Keeps as many attempts under way as there may be: claims when something may have become due, or a place is free. */
@Injectable()
export class DeliveryRounds implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(DeliveryRounds.name);
  private readonly stopping = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private claiming: Promise<void> | undefined;
  private again = false;
  private closed = true;

  constructor(
    private readonly claims: Claims,
    private readonly sender: Sender,
    @Inject(WEBHOOKS_CONFIG) private readonly config: WebhooksConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.closed = false;
    this.timer = setInterval(() => this.startSoon(), this.config.WEBHOOK_POLL_SECONDS * 1_000);
    this.startSoon();
  }

  /** Something may be due. Returns at once. */
  startSoon(): void {
    if (this.closed) return;
    this.again = true;
    this.claiming ??= this.claimAll().finally(() => {
      this.claiming = undefined;
      if (this.again) this.startSoon();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.claiming;
    if (await settlesWithin(Promise.all(this.underWay), FINISH_WITHIN_MS)) return;
    this.stopping.abort();
    await settlesWithin(Promise.all(this.underWay), GIVE_BACK_WITHIN_MS);
  }

  private async claimAll(): Promise<void> {
    try {
      while (this.again && !this.closed) {
        this.again = false;
        const free = this.config.WEBHOOK_CONCURRENCY - this.underWay.size;
        if (free === 0) return;
        const claimed = await this.claims.claim(free);
        for (const one of claimed) this.begin(one);
        // Those that were passed by are due as soon as one of their receiver's places is free.
        if (claimed.length === free) return;
      }
    } catch (error) {
      this.log.warn(`what is due is left for the next round: ${String(error)}`);
    }
  }

  private begin(claimed: Claimed): void {
    const sent = this.sender
      .send(claimed, this.stopping.signal)
      // Sent again once its lease is over.
      .catch((error: unknown) => this.log.warn(`delivery ${claimed.id} is left: ${String(error)}`))
      .finally(() => {
        this.underWay.delete(sent);
        this.startSoon();
      });
    this.underWay.add(sent);
  }
}
