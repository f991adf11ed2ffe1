import { accept, refuse, type Result } from '@currawong/contracts';
import { DataSource, type EntityManager } from '@currawong/database';
import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { GATEWAY_CONFIG, publicUrl, type GatewayConfig } from '../../config';
import type { AccountRecord } from '../account-record';
import { Accounts } from '../accounts';
import { audit, holderAt, OPERATOR, type Actor } from '../audit/audit-log';
import { markConfirmed } from '../mail/email-confirmations';
import { accountOfMailToken, issueMailToken, revokeMailTokens, takeMailToken } from '../mail/mail-tokens';
import { OutgoingMails } from '../mail/outgoing-mails';
import { passwordChanged, resetPassword } from '../mail/texts';
import { Sessions, type SessionOwner } from '../sessions/sessions';
import { AttemptLimits } from '../sign-in/attempt-limits';
import { hashPassword, verifyPassword } from './password-hash';

const RESET_VALID_HOURS = 1;

/** How passwords come to be others. Whichever way, links for a reset that were sent before are worth nothing after it. */
@Injectable()
export class Passwords implements BeforeApplicationShutdown {
  private readonly log = new Logger(Passwords.name);
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly source: DataSource,
    private readonly accounts: Accounts,
    private readonly sessions: Sessions,
    private readonly mails: OutgoingMails,
    private readonly limits: AttemptLimits,
  ) {}

  /**
   * Ends every other session of the holder's.
   * @param current not needed where there is no password yet
   */
  async change(
    session: SessionOwner,
    current: string | undefined,
    password: string,
    address: string,
  ): Promise<Result<null>> {
    const { accountId, sessionId } = session;
    const account = (await this.accounts.find(accountId))!;
    if (account.password_hash !== null && !(await this.isRight(account, current ?? '')))
      return refuse('invalid_parameter', 'current_password: is not your password');
    const hash = await hashPassword(password);
    await this.source.transaction((manager) =>
      this.set(manager, account, hash, holderAt(address), sessionId),
    );
    this.told(accountId);
    return accept(null);
  }

  /** Whether this is the holder's password; counted, so that whoever found a browser open cannot guess it. */
  async isRight(account: AccountRecord, password: string): Promise<boolean> {
    await this.limits.confirmPassword(account.id);
    return verifyPassword(password, account.password_hash);
  }

  /**
   * Returns before anything is looked up, so that neither the answer nor its time tells whether there is an account.
   * A person who gets no mail asks again: nothing is lost but a minute if the process ends just now.
   */
  requestReset(email: string, address: string): void {
    const work: Promise<void> = this.sendReset(email, address)
      .catch((error: unknown) => this.log.error(error instanceof Error ? error : String(error)))
      .finally(() => this.underWay.delete(work));
    this.underWay.add(work);
  }

  /** Ends every session of the holder's. Refuses with `link_expired`, also a link that has been used. */
  async reset(token: string, password: string, address: string): Promise<Result<null>> {
    // Asked before the password is hashed: made-up tokens shall not cost us that.
    if (!(await accountOfMailToken(this.source, token, 'reset_password'))) return refuse('link_expired');
    const hash = await hashPassword(password);
    const accountId = await this.source.transaction(async (manager) => {
      const taken = await takeMailToken(manager, token, 'reset_password');
      const account = taken && (await this.accounts.lock(manager, taken));
      if (!account || account.state === 'closed') return undefined;
      await this.set(manager, account, hash, holderAt(address), null, 'by a link sent to the email address');
      // Whoever opened the link reads the mails of this address.
      await markConfirmed(manager, account.id, holderAt(address));
      return account.id;
    });
    if (!accountId) return refuse('link_expired');
    this.told(accountId);
    return accept(null);
  }

  /** By the operator. Ends every session of the holder's. @returns undefined where there is no such account */
  async setByOperator(accountId: string, password: string): Promise<AccountRecord | undefined> {
    const hash = await hashPassword(password);
    const account = await this.source.transaction(async (manager) => {
      const found = await this.accounts.lock(manager, accountId);
      if (found) await this.set(manager, found, hash, OPERATOR, null);
      return found;
    });
    if (account) this.told(accountId);
    return account;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** @param goesOn the session in which it is changed; null where all shall end */
  private async set(
    manager: EntityManager,
    account: AccountRecord,
    hash: string,
    by: Actor,
    goesOn: string | null,
    how: string | null = null,
  ): Promise<void> {
    await manager.query('UPDATE accounts SET password_hash = $2 WHERE id = $1', [account.id, hash]);
    await revokeMailTokens(manager, account.id, 'reset_password');
    await this.sessions.endAll(manager, account.id, goesOn);
    await audit(manager, account.id, 'password_changed', by, how);
    const signInPage = `${publicUrl(this.config)}/dashboard/sign-in`;
    await this.mails.write(manager, account, passwordChanged(signInPage));
  }

  private told(accountId: string): void {
    this.sessions.forgetEverywhere(accountId);
    this.mails.sendSoon();
  }

  private async sendReset(email: string, address: string): Promise<void> {
    const account = await this.accounts.findByEmail(email);
    if (account?.state !== 'active') return;
    await this.source.transaction(async (manager) => {
      const token = await issueMailToken(manager, account.id, 'reset_password', RESET_VALID_HOURS);
      const link = `${publicUrl(this.config)}/dashboard/reset-password#token=${token}`;
      await this.mails.write(manager, account, resetPassword(link));
      await audit(manager, account.id, 'password_reset_requested', holderAt(address));
    });
    this.mails.sendSoon();
  }
}
