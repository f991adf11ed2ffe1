import { MessagingConnection } from '@currawong/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import { OwnerCache } from '../owner-cache';
import { hashApiKey, isWellFormed } from './api-key';
import { KeyUses } from './key-uses';
import { Keys, type KeyOwner } from './keys';

/** Whom a key speaks for, remembered for less than a second. */
@Injectable()
export class KeyCache {
  private readonly owners: OwnerCache<KeyOwner>;

  constructor(
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
    private readonly keys: Keys,
    private readonly uses: KeyUses,
    connection: MessagingConnection,
  ) {
    this.owners = new OwnerCache(connection, config.KEY_CACHE_SECONDS);
  }

  /** @returns undefined for a key that is malformed, unknown or revoked: nobody is told which */
  async ownerOf(key: string): Promise<KeyOwner | undefined> {
    if (!isWellFormed(key)) return undefined;
    const hash = hashApiKey(key);
    const owner = await this.owners.get(hash, () => this.keys.findOwner(hash));
    if (owner) this.uses.note(owner.keyId);
    return owner;
  }

  forget(accountId: string): void {
    this.owners.forget(accountId);
  }
}
