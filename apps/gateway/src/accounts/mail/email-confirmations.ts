import { DataSource, row, type EntityManager } from '@currawong/database';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, publicUrl, type GatewayConfig } from '../../config';
import type { AccountRecord } from '../account-record';
import { audit, type Actor } from '../audit/audit-log';
import { accountOfMailToken, issueMailToken } from './mail-tokens';
import { OutgoingMails } from './outgoing-mails';
import { confirmEmail } from './texts';

const VALID_DAYS = 7;

/** Whether an email address is its holder's: shown by opening a link that was sent there. */
@Injectable()
export class EmailConfirmations {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly source: DataSource,
    private readonly mails: OutgoingMails,
  ) {}

  /** In a transaction of the caller, who says `mails.sendSoon` after its commit. */
  async write(manager: EntityManager, account: AccountRecord): Promise<void> {
    const token = await issueMailToken(manager, account.id, 'confirm_email', VALID_DAYS * 24);
    const link = `${publicUrl(this.config)}/dashboard/confirm-email#token=${token}`;
    await this.mails.write(manager, account, confirmEmail(link, VALID_DAYS));
  }

  /** Sends it again, unless it is not needed any more. */
  async sendAgain(account: AccountRecord): Promise<void> {
    if (account.email_confirmed_at) return;
    await this.source.transaction((manager) => this.write(manager, account));
    this.mails.sendSoon();
  }

  /**
   * A link that is opened twice says yes twice: reloaded pages do that.
   * @param accountId who is signed in. Opening the link alone proves nothing: where somebody made an account with
   *   another person's address, that person opening the mail must not make it theirs
   * @returns whether the link is good, and this account's
   */
  confirm(token: string, accountId: string, by: Actor): Promise<boolean> {
    return this.source.transaction(async (manager) => {
      if ((await accountOfMailToken(manager, token, 'confirm_email')) !== accountId) return false;
      await markConfirmed(manager, accountId, by);
      return true;
    });
  }
}

/** Writes that the address is the holder's, in a transaction of the caller; nothing where that was known. */
export async function markConfirmed(manager: EntityManager, accountId: string, by: Actor): Promise<void> {
  const changed = await row(
    manager,
    'UPDATE accounts SET email_confirmed_at = now() WHERE id = $1 AND email_confirmed_at IS NULL RETURNING id',
    [accountId],
  );
  if (changed) await audit(manager, accountId, 'email_confirmed', by);
}
