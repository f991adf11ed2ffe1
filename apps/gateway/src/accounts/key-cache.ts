import { MessagingConnection } from '@currawong/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { Accounts, type KeyOwner } from './accounts';
import { hashApiKey, isWellFormed } from './api-key';

const MAX_CACHED_KEYS = 10_000;

/**
 * Whom a key speaks for, remembered in this process for less than a second. Every gateway is told at once when an
 * account's keys change; one that knows itself cut off from those messages asks the database each time, and forgets
 * everything when it is connected again, because of what it may have missed.
 */
@Injectable()
export class KeyCache {
  private readonly owners: LRUCache<string, KeyOwner>;
  /** Raised by every change, so that an answer read before it is not remembered after it. */
  private changes = 0;

  constructor(
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
    private readonly accounts: Accounts,
    private readonly connection: MessagingConnection,
  ) {
    this.owners = new LRUCache({ max: MAX_CACHED_KEYS, ttl: Math.max(1, config.KEY_CACHE_SECONDS * 1000) });
    connection.onReconnect(() => {
      this.changes++;
      this.owners.clear();
    });
  }

  /** @returns undefined for a key that is malformed, unknown or revoked: nobody is told which */
  async ownerOf(key: string): Promise<KeyOwner | undefined> {
    if (!isWellFormed(key)) return undefined;
    const hash = hashApiKey(key);
    const name = hash.toString('base64');
    if (!this.connection.isReady()) this.owners.clear();
    const known = this.owners.get(name);
    if (known) return known;
    const changesBefore = this.changes;
    const owner = await this.accounts.findOwner(hash);
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
