import { settlesWithin } from '@currawong/messaging';
import { Logger } from '@nestjs/common';

const ROUND_EVERY_MS = 5_000;
const CLOSE_WITHIN_MS = 3_000;

/**
 * Does what is waiting in a table, one piece after another: at once when it is told that there is something, and
 * every few seconds for what a crash, or another replica, has left.
 */
export class Rounds {
  private readonly log = new Logger(Rounds.name);
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;
  private again = false;
  private closed = true;

  /** @param doNext does one piece of work; answers whether there may be more */
  constructor(private readonly doNext: () => Promise<boolean>) {}

  open(): void {
    this.closed = false;
    this.timer = setInterval(() => this.startSoon(), ROUND_EVERY_MS).unref();
    this.startSoon();
  }

  /** Returns at once. */
  startSoon(): void {
    if (this.closed) return;
    this.again = true;
    this.round ??= this.goRound().finally(() => {
      this.round = undefined;
      if (this.again) this.startSoon();
    });
  }

  /**
   * Waits 3 s for the piece of work that has begun; the rest stays for the next start, or another replica. So does a piece
   * that takes longer, as with a server that does not answer: its lease ends.
   */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    if (this.round && !(await settlesWithin(this.round, CLOSE_WITHIN_MS)))
      this.log.warn('what had begun does not end, and is left for the next start');
  }

  private async goRound(): Promise<void> {
    try {
      while (this.again && !this.closed) {
        this.again = false;
        while (!this.closed && (await this.doNext()));
      }
    } catch (error) {
      this.log.warn(`what is waiting is left for the next round: ${String(error)}`);
    }
  }
}
