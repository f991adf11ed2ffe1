import type { Msg, Subscription } from '@nats-io/transport-node';
import type { MessagingConnection } from './connection';

export interface SlotOwner {
  /** subject that pull requests are published to */
  pullSubject: string;
  /** may the slot ask for another message now? */
  mayPull(): boolean;
  /** resolves when the message is settled */
  handle(message: Msg): Promise<void>;
  /** the broker answered a pull request, with a message, a heartbeat or the news that there is nothing */
  heard(completed: boolean): void;
  /** the pull request is lost: missed heartbeats, or refused by the broker */
  lost(reason: string): void;
}

/**
 * Room for one message. It asks the broker for exactly one, handles it, and only then asks for the next, so a message
 * never waits in a busy process while another one is idle. Asking costs one small message per 20 idle seconds; the
 * broker delivers the moment there is something.
 */
export class Slot {
  private subscription: Subscription | undefined;
  private watchdog: NodeJS.Timeout | undefined;
  private handling: Promise<void> | undefined;
  private idle = false;

  constructor(
    private readonly connection: MessagingConnection,
    private readonly owner: SlotOwner,
  ) {}

  get isBusy(): boolean {
    return this.handling !== undefined;
  }

  /** Asks under a new inbox, so that the broker forgets whatever was asked for before. Busy slots go on by themselves. */
  renew(): void {
    this.leaveInbox();
    if (this.isBusy || !this.owner.mayPull()) return;
    this.subscription = this.listen(this.connection.createInbox());
    this.pull();
  }

  /** Asks for nothing more. @returns a promise that resolves when the running handler, if any, is through */
  async stop(): Promise<void> {
    this.leaveInbox();
    await this.handling;
  }

  private listen(inbox: string): Subscription {
    const subscription = this.connection.nats.subscribe(inbox, {
      callback: (error, message) => {
        if (error) return this.owner.lost(error.message);
        const isCurrent = subscription === this.subscription;
        if (message.subject === inbox) {
          if (isCurrent) this.onStatus(message);
        } else if (isCurrent && this.idle) {
          this.onMessage(message);
        } else {
          // It was on its way while the slot was given up: hand it back at once, someone else is free.
          message.respond('-NAK');
        }
      },
    });
    return subscription;
  }

  private pull(): void {
    if (this.subscription === undefined) return;
    this.idle = true;
    this.watch();
    this.connection.nats.publish(this.owner.pullSubject, PULL_REQUEST, {
      reply: this.subscription.getSubject(),
    });
  }

  private onMessage(message: Msg): void {
    this.idle = false;
    clearTimeout(this.watchdog);
    this.owner.heard(true);
    this.handling = this.owner.handle(message).finally(() => {
      this.handling = undefined;
      if (!this.owner.mayPull()) return;
      if (this.subscription === undefined) this.renew();
      else this.pull();
    });
  }

  private onStatus(message: Msg): void {
    const code = message.headers?.code ?? 0;
    if (code === STATUS_HEARTBEAT) {
      this.watch();
      this.owner.heard(false);
    } else if (code === STATUS_NO_MESSAGES || code === STATUS_TIMEOUT) {
      this.owner.heard(true);
      if (this.owner.mayPull()) this.pull();
    } else {
      this.owner.lost(`${code} ${message.headers?.description ?? ''}`.trim());
    }
  }

  private watch(): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.owner.lost('missed heartbeats'), HEARTBEAT_MS * 2.5);
  }

  private leaveInbox(): void {
    clearTimeout(this.watchdog);
    this.idle = false;
    const left = this.subscription;
    this.subscription = undefined;
    // Draining, not unsubscribing: a message that is on its way is still seen and handed back.
    left?.drain().catch(() => undefined);
  }
}

const HEARTBEAT_MS = 2_000;
const PULL_EXPIRES_MS = 20_000;
const NANOSECONDS_PER_MILLISECOND = 1_000_000;
const PULL_REQUEST = JSON.stringify({
  batch: 1,
  expires: PULL_EXPIRES_MS * NANOSECONDS_PER_MILLISECOND,
  idle_heartbeat: HEARTBEAT_MS * NANOSECONDS_PER_MILLISECOND,
});

const STATUS_HEARTBEAT = 100;
const STATUS_NO_MESSAGES = 404;
const STATUS_TIMEOUT = 408;
