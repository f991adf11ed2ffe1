import {
  accept,
  refuse,
  type Result,
  type SessionBody,
  type SignIn as SignInWish,
  type SignUp,
} from '@currawong/contracts';
import { DataSource, row, type EntityManager } from '@currawong/database';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { z } from 'zod';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import { asAccountBody, type AccountRecord } from '../account-record';
import { Accounts } from '../accounts';
import { audit, holderAt } from '../audit/audit-log';
import { EmailConfirmations } from '../mail/email-confirmations';
import { OutgoingMails } from '../mail/outgoing-mails';
import { hashPassword, isOutdated, verifyPassword } from '../passwords/password-hash';
import { Sessions, type NewSession, type SessionOwner } from '../sessions/sessions';
import { ServiceSettings } from '../settings/service-settings';
import { AttemptLimits } from './attempt-limits';

export interface SignedIn {
  session: NewSession;
  account: AccountRecord;
}

/** How somebody comes in with an email address and a password. */
@Injectable()
export class SignIn {
  private readonly log = new Logger(SignIn.name);

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly source: DataSource,
    private readonly accounts: Accounts,
    private readonly sessions: Sessions,
    private readonly limits: AttemptLimits,
    private readonly confirmations: EmailConfirmations,
    private readonly mails: OutgoingMails,
    private readonly settings: ServiceSettings,
  ) {}

  /** Makes an account with its books and signs its holder in; or nothing at all. */
  async signUp(
    wanted: z.infer<typeof SignUp>,
    address: string,
    previous?: SessionOwner,
  ): Promise<Result<SignedIn>> {
    if (this.config.SIGN_UP === 'closed') return refuse('sign_up_closed');
    await this.limits.signUp(address);
    const passwordHash = await hashPassword(wanted.password);
    const books = await this.accounts.openBooks(wanted.email, this.config.FREE_MINUTES * 60);
    if (!books.ok) return books;
    const by = holderAt(address);
    const signedUp = await this.source.transaction(async (manager): Promise<Result<SignedIn>> => {
      const opened = await this.accounts.open(
        manager,
        books.value,
        { email: wanted.email, name: wanted.name ?? null, passwordHash, emailConfirmed: false },
        by,
      );
      if (!opened.ok) return opened;
      const account = opened.value;
      await this.confirmations.write(manager, account);
      const session = await this.begin(manager, account.id, address, previous);
      return accept({ account, session });
    });
    if (signedUp.ok) {
      this.replaced(previous);
      this.mails.sendSoon();
      this.settings.tellSoon();
    }
    return signedUp;
  }

  /**
   * The same refusal, after the same time, for a wrong password and an address that nobody has.
   * @param previous a session of the same browser, which the new one replaces
   */
  async signIn(
    { email, password }: z.infer<typeof SignInWish>,
    address: string,
    previous?: SessionOwner,
  ): Promise<Result<SignedIn>> {
    await this.limits.signIn(email, address);
    let account = await this.accounts.findByEmail(email);
    for (;;) {
      const stored = account?.password_hash ?? null;
      if (!(await verifyPassword(password, stored)) || !account || stored === null) {
        if (account) this.noteFailure(account.id, address);
        return refuse('wrong_credentials');
      }
      if (account.state !== 'active') return refuse('account_inactive');
      const session = await this.beginUnlessChanged(account, stored, password, address, previous);
      if (session) {
        this.replaced(previous);
        return accept({ account, session });
      }
      // It was changed while it was being compared: to another password perhaps, or to a new hash of this one.
      account = await this.accounts.find(account.id);
    }
  }

  /** @returns undefined where the account is not active any more, or `stored` not the hash of its password */
  private async beginUnlessChanged(
    { id }: AccountRecord,
    stored: string,
    password: string,
    address: string,
    previous?: SessionOwner,
  ): Promise<NewSession | undefined> {
    const current = isOutdated(stored) ? await hashPassword(password) : stored;
    return this.source.transaction(async (manager) => {
      const unchanged = await row(
        manager,
        `UPDATE accounts SET password_hash = $3 WHERE id = $1 AND password_hash = $2 AND state = 'active' RETURNING id`,
        [id, stored, current],
      );
      return unchanged ? this.begin(manager, id, address, previous) : undefined;
    });
  }

  /**
   * A session for somebody who has shown who they are, in a transaction of the caller, who says `replaced` after it.
   * @param previous a session of the same browser, which this one replaces
   * @param by how they came in, for the audit log
   */
  async begin(
    manager: EntityManager,
    accountId: string,
    address: string,
    previous?: SessionOwner,
    by: string | null = null,
  ): Promise<NewSession> {
    if (previous) await this.sessions.end(manager, previous.sessionId);
    await audit(manager, accountId, 'signed_in', holderAt(address), by);
    return this.sessions.begin(manager, accountId);
  }

  replaced(previous?: SessionOwner): void {
    if (previous) this.sessions.forgetEverywhere(previous.accountId);
  }

  /** Not waited for: the time that it takes would tell that there is such an account. */
  private noteFailure(accountId: string, address: string): void {
    audit(this.source, accountId, 'sign_in_failed', holderAt(address)).catch((error: unknown) =>
      this.log.warn(`a failed sign-in of account ${accountId} is not in its audit log: ${String(error)}`),
    );
  }
}

export function asSessionBody({ account, session }: SignedIn): SessionBody {
  return { account: asAccountBody(account), csrf_token: session.csrfToken };
}
