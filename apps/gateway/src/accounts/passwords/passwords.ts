import { accept, refuse, type Result } from '@currawong/contracts';
import { DataSource, type EntityManager } from '@currawong/database';
import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { GATEWAY_CONFIG, publicUrl, type GatewayConfig } from '../../config';
import type { AccountRecord } from '../account-record';
import { Accounts } from '../accounts';
import { audit, holderAt, OPERATOR, type Actor } from '../audit/audit-log';
import { Keys } from '../keys/keys';
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
    private readonly keys: Keys,
    private readonly sessions: Sessions,
    private readonly mails: OutgoingMails,
    private readonly limits: AttemptLimits,
  ) {}

  /**
   * Ends every other session of the holder's. Refuses with `invalid_parameter`, and with `sign_in_required` where the
   * session has ended meanwhile.
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
    const changed = await this.source.transaction(async (manager): Promise<Result<null>> => {
      const locked = (await this.accounts.lock(manager, accountId))!;
      if (!(await this.sessions.goesOn(manager, sessionId))) return refuse('sign_in_required');
      // A link may have been followed while this password was being compared: what it has set stays. Or a sign-in has
      // hashed the same one anew.
      const stored = locked.password_hash;
      if (stored !== account.password_hash && !(await verifyPassword(current ?? '', stored)))
        return refuse('invalid_parameter', 'current_password: is not your password');
      await this.set(manager, locked, hash, holderAt(address), sessionId);
      return accept(null);
    });
    if (changed.ok) this.told(accountId);
    return changed;
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

  /**
   * Ends every session of the holder's. Refuses with `link_expired`, also a link that has been used.
   * Where the address was not confirmed before, somebody else may have made the account and its keys: they are revoked.
   * @returns how many keys were revoked
   */
  async reset(token: string, password: string, address: string): Promise<Result<number>> {
    // Asked before the password is hashed: made-up tokens shall not cost us that.
    const accountId = await accountOfMailToken(this.source, token, 'reset_password');
    if (!accountId) return refuse('link_expired');
    const hash = await hashPassword(password);
    const by = holderAt(address);
    const revoked = await this.source.transaction(async (manager) => {
      // The account before its tokens, as everywhere: two links used at once would otherwise wait for one another.
      const account = await this.accounts.lock(manager, accountId);
      if (!account || account.state === 'closed') return undefined;
      if (!(await takeMailToken(manager, token, 'reset_password'))) return undefined;
      const keys = account.email_confirmed_at ? 0 : await this.keys.revokeAll(manager, accountId, by);
      await this.set(manager, account, hash, by, null, 'by a link sent to the email address', keys);
      // Whoever opened the link reads the mails of this address.
      await markConfirmed(manager, accountId, by);
      return keys;
    });
    if (revoked === undefined) return refuse('link_expired');
    if (revoked > 0) this.keys.forgetEverywhere(accountId);
    this.told(accountId);
    return accept(revoked);
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
    revokedKeys = 0,
  ): Promise<void> {
    await manager.query('UPDATE accounts SET password_hash = $2 WHERE id = $1', [account.id, hash]);
    await revokeMailTokens(manager, account.id, 'reset_password');
    await this.sessions.endAll(manager, account.id, goesOn);
    await audit(manager, account.id, 'password_changed', by, how);
    const signInPage = `${publicUrl(this.config)}/dashboard/sign-in`;
    await this.mails.write(manager, account, passwordChanged(signInPage, revokedKeys));
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
