import { refuse } from '@currawong/contracts';
import { Injectable } from '@nestjs/common';
import { RefusalException } from '../../http/refusal.exception';

/** A player has one or two open. The connections to the store, 256 in a process, are for everybody's work. */
export const MAX_OPEN_PER_ACCOUNT = 6;
const RETRY_AFTER_SECONDS = 10;

/** How many recordings are being sent to each account by this process. */
@Injectable()
export class OpenRecordings {
  private readonly counts = new Map<string, number>();

  /**
   * @returns what is to be called, once, when the recording is sent
   * @throws RefusalException 429 where the account has as many open as it may
   */
  enter(accountId: string): () => void {
    const count = this.counts.get(accountId) ?? 0;
    if (count >= MAX_OPEN_PER_ACCOUNT) {
      const detail = `At most ${MAX_OPEN_PER_ACCOUNT} recordings can be open at a time. Wait ${RETRY_AFTER_SECONDS} seconds, then try again.`;
      throw new RefusalException(refuse('rate_limited', detail).refusal, undefined, {
        'Retry-After': String(RETRY_AFTER_SECONDS),
      });
    }
    this.counts.set(accountId, count + 1);
    return () => this.leave(accountId);
  }

  private leave(accountId: string): void {
    const left = this.counts.get(accountId)! - 1;
    if (left > 0) this.counts.set(accountId, left);
    else this.counts.delete(accountId);
  }
}
