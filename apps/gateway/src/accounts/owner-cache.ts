import type { MessagingConnection } from '@currawong/messaging';
import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 10_000;

/**
 * Whom a secret speaks for, remembered in this process for less than a second. Every gateway is told at once when that
 * changes for an account; one that knows itself cut off from those messages asks the database each time, and forgets
 * everything when it is connected again, because of what it may have missed.
 */
export class OwnerCache<O extends { accountId: string }> {
  private readonly owners: LRUCache<string, O>;
  /** Raised by every change, so that an answer read before it is not remembered after it. */
  private changes = 0;

  /** @param seconds how long an answer is trusted */
  constructor(
    private readonly connection: MessagingConnection,
    seconds: number,
  ) {
    this.owners = new LRUCache<string, O>({ max: MAX_REMEMBERED, ttl: Math.max(1, seconds * 1000) });
    connection.onReconnect(() => {
      this.changes++;
      this.owners.clear();
    });
  }

  /** What is remembered under the hash of a secret, or else what `lookUp` finds; nothing found is not remembered. */
  async get(secretHash: Buffer, lookUp: () => Promise<O | undefined>): Promise<O | undefined> {
    const name = secretHash.toString('base64');
    if (!this.connection.isReady()) this.owners.clear();
    const known = this.owners.get(name);
    if (known) return known;
    const changesBefore = this.changes;
    const owner = await lookUp();
    if (owner && changesBefore === this.changes && this.connection.isReady()) this.owners.set(name, owner);
    return owner;
  }

  forget(accountId: string): void {
    this.changes++;
    for (const [name, owner] of this.owners.entries()) {
      if (owner.accountId === accountId) this.owners.delete(name);
    }
  }
}
