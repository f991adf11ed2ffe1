import { accept, refuse, type Result, type WebhookSecret, type WebhookSettings } from '@currawong/contracts';
import { DataSource, row, type EntityManager } from '@currawong/database';
import { Injectable } from '@nestjs/common';
import { audit, type Actor } from '../accounts/audit/audit-log';
import { CallbackUrls } from './callback-urls';
import { originOf } from './origin';
import { currentSecret, ensureSecret, rotateSecret } from './secrets';

interface EndpointRow {
  url: string | null;
  disabled_at: Date | null;
  disabled_reason: string | null;
}

const NONE: EndpointRow = { url: null, disabled_at: null, disabled_reason: null };
const REMOVED = 'the address was taken out of the settings';

/** An account's own address for webhooks, and the secret that signs what is sent to any of its addresses. */
@Injectable()
export class Endpoints {
  constructor(
    private readonly source: DataSource,
    private readonly callbackUrls: CallbackUrls,
  ) {}

  async settings(accountId: string): Promise<WebhookSettings> {
    return asSettings((await this.find(this.source, accountId)) ?? NONE);
  }

  /**
   * Sets the address, or takes it away; one that was disabled is in use again. What has not been delivered yet goes to
   * the new address. Refuses with `invalid_parameter`.
   */
  async set(accountId: string, url: string | null, by: Actor): Promise<Result<WebhookSettings>> {
    const problem = url === null ? undefined : await this.callbackUrls.problemWith(url);
    if (problem !== undefined) return refuse('invalid_parameter', `url: ${problem}`);
    return this.source.transaction(async (manager) => {
      // Waits for deliveries that are being written to the address of before, and then finds them.
      await manager.query(
        `INSERT INTO webhook_endpoints (account_id, url) VALUES ($1, $2)
         ON CONFLICT (account_id) DO UPDATE SET url = excluded.url, disabled_at = NULL, disabled_reason = NULL`,
        [accountId, url],
      );
      if (url === null) await endPending(manager, accountId, REMOVED);
      else {
        await ensureSecret(manager, accountId);
        await manager.query(
          `UPDATE webhook_deliveries SET url = $2, origin = $3
            WHERE account_id = $1 AND state = 'pending' AND is_default AND url <> $2`,
          [accountId, url, originOf(url)],
        );
      }
      // The rest of an address may be a secret of its receiver's.
      await audit(manager, accountId, 'webhook_changed', by, url === null ? 'removed' : originOf(url));
      return accept(asSettings({ ...NONE, url }));
    });
  }

  async showSecret(accountId: string, by: Actor): Promise<WebhookSecret> {
    return this.source.transaction(async (manager) => {
      await ensureSecret(manager, accountId);
      await audit(manager, accountId, 'webhook_secret_shown', by);
      return currentSecret(manager, accountId);
    });
  }

  async rotateSecret(accountId: string, by: Actor): Promise<WebhookSecret> {
    return this.source.transaction(async (manager) => {
      await rotateSecret(manager, accountId);
      await audit(manager, accountId, 'webhook_secret_rotated', by);
      return currentSecret(manager, accountId);
    });
  }

  private find(on: DataSource | EntityManager, accountId: string): Promise<EndpointRow | undefined> {
    return row<EndpointRow>(
      on,
      'SELECT url, disabled_at, disabled_reason FROM webhook_endpoints WHERE account_id = $1',
      [accountId],
    );
  }
}

/** Nobody changes the address, or writes deliveries to it, until the caller's transaction ends. */
export async function lockEndpoint(manager: EntityManager, accountId: string): Promise<void> {
  await manager.query('SELECT FROM webhook_endpoints WHERE account_id = $1 FOR UPDATE', [accountId]);
}

/** Ends what waits to be sent to the account's own address. One that is being sent at the moment ends with that. */
export async function endPending(manager: EntityManager, accountId: string, reason: string): Promise<void> {
  await manager.query(
    `UPDATE webhook_deliveries SET state = 'failed', ended_at = now(), last_error = $2
      WHERE account_id = $1 AND state = 'pending' AND is_default AND claim_id IS NULL`,
    [accountId, reason],
  );
  await manager.query(
    `UPDATE webhook_deliveries SET is_last = true WHERE account_id = $1 AND state = 'pending' AND is_default`,
    [accountId],
  );
}

function asSettings({ url, disabled_at, disabled_reason }: EndpointRow): WebhookSettings {
  return {
    url,
    disabled: disabled_at !== null,
    disabled_at: disabled_at?.toISOString() ?? null,
    disabled_reason,
  };
}
