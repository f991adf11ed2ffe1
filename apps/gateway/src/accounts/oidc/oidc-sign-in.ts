import type { SignInProblem } from '@currawong/contracts';
import { DataSource, row, type EntityManager } from '@currawong/database';
import { Inject, Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import type { AccountRecord } from '../account-record';
import { Accounts } from '../accounts';
import { audit, holderAt } from '../audit/audit-log';
import type { NewSession, SessionOwner } from '../sessions/sessions';
import { ServiceSettings } from '../settings/service-settings';
import { SignIn } from '../sign-in/sign-in';
import { IdentityProvider, type Attempt, type Identity } from './identity-provider';

/** How long a person may take at the identity provider. */
export const ATTEMPT_MINUTES = 10;

type Found = { account: AccountRecord } | { problem: SignInProblem };
type Ended = { session: NewSession } | { problem: SignInProblem };

/** How somebody comes in through the identity provider. */
@Injectable()
export class OidcSignIn {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly source: DataSource,
    private readonly provider: IdentityProvider,
    private readonly accounts: Accounts,
    private readonly signIn: SignIn,
    private readonly settings: ServiceSettings,
  ) {}

  /** @returns where to send the browser, and the token by which it is known again when it comes back */
  async start(): Promise<{ location: string; token: string } | { problem: SignInProblem }> {
    const started = await this.provider.start();
    if (started.kind !== 'ok') return { problem: 'provider_unavailable' };
    const { attempt, location } = started.value;
    const token = randomBytes(32).toString('base64url');
    await this.source.query(
      `INSERT INTO oidc_attempts (token_hash, state, nonce, code_verifier, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(mins => $5))`,
      [hash(token), attempt.state, attempt.nonce, attempt.codeVerifier, ATTEMPT_MINUTES],
    );
    return { location, token };
  }

  /**
   * @param token of the browser that came back; undefined where it has none
   * @param query what the provider added to our address
   * @param previous a session of the same browser, which the new one replaces
   */
  async finish(
    token: string | undefined,
    query: string,
    address: string,
    previous?: SessionOwner,
  ): Promise<Ended> {
    const attempt = token === undefined ? undefined : await this.take(token);
    if (!attempt) return { problem: 'sign_in_failed' };
    const asked = await this.provider.finish(query, attempt);
    if (asked.kind !== 'ok')
      return { problem: asked.kind === 'refused' ? 'sign_in_failed' : 'provider_unavailable' };
    const ended =
      (await this.enter(asked.value, address, previous)) ??
      (await this.enterAnew(asked.value, address, previous)) ??
      // Two first visits of one person at once: the account that the other has just made is found now.
      (await this.enter(asked.value, address, previous));
    if (!ended) return { problem: 'sign_in_failed' };
    if ('session' in ended) {
      this.signIn.replaced(previous);
      this.settings.tellSoon();
    }
    return ended;
  }

  /** Once only. */
  private take(token: string): Promise<Attempt | undefined> {
    return row<Attempt>(
      this.source,
      `DELETE FROM oidc_attempts WHERE token_hash = $1 AND expires_at > now()
       RETURNING state, nonce, code_verifier AS "codeVerifier"`,
      [hash(token)],
    );
  }

  /** Somebody without an account. @returns undefined where another gateway has made one for the address meanwhile */
  private async enterAnew(
    identity: Identity,
    address: string,
    previous?: SessionOwner,
  ): Promise<Ended | undefined> {
    // Without an address that is verified, `enter` has said no.
    const books = await this.accounts.openBooks(identity.verifiedEmail!, this.config.FREE_MINUTES * 60);
    return books.ok ? this.enter(identity, address, previous, books.value) : undefined;
  }

  /**
   * @param accountId with books, for whoever has no account yet
   * @returns undefined where there is none for the address, or another gateway has made it meanwhile
   */
  private enter(
    identity: Identity,
    address: string,
    previous?: SessionOwner,
    accountId?: string,
  ): Promise<Ended | undefined> {
    return this.source.transaction(async (manager) => {
      const found =
        (await this.known(manager, identity)) ?? (await this.admit(manager, identity, address, accountId));
      if (!found || 'problem' in found) return found;
      if (found.account.state !== 'active') return { problem: 'account_inactive' };
      const how = `through ${this.config.OIDC_NAME}`;
      return { session: await this.signIn.begin(manager, found.account.id, address, previous, how) };
    });
  }

  /** Somebody who was here before, whatever their address is by now. */
  private async known(manager: EntityManager, { issuer, subject }: Identity): Promise<Found | undefined> {
    const account = await row<AccountRecord>(
      manager,
      `SELECT a.* FROM identities i JOIN accounts a ON a.id = i.account_id
        WHERE i.issuer = $1 AND i.subject = $2 FOR NO KEY UPDATE OF a`,
      [issuer, subject],
    );
    return account && { account };
  }

  /** Somebody's first visit: from now on they are known. */
  private async admit(
    manager: EntityManager,
    identity: Identity,
    address: string,
    accountId: string | undefined,
  ): Promise<Found | undefined> {
    const found = await this.accountFor(manager, identity, address, accountId);
    if (!found || 'problem' in found || found.account.state !== 'active') return found;
    // Another window may have been first: it held the account's row until now.
    const linked = await row(
      manager,
      `INSERT INTO identities (issuer, subject, account_id) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING account_id`,
      [identity.issuer, identity.subject, found.account.id],
    );
    if (linked)
      await audit(manager, found.account.id, 'identity_linked', holderAt(address), this.config.OIDC_NAME);
    return found;
  }

  /**
   * Only an address that both sides know to be theirs joins them to an account that is there: otherwise an account made
   * in advance with somebody else's address would be shared with them.
   */
  private async accountFor(
    manager: EntityManager,
    { verifiedEmail: email, name }: Identity,
    address: string,
    accountId: string | undefined,
  ): Promise<Found | undefined> {
    if (email === undefined) return { problem: 'email_not_verified' };
    const account = await row<AccountRecord>(
      manager,
      'SELECT * FROM accounts WHERE email = $1 FOR NO KEY UPDATE',
      [email],
    );
    if (account) return account.email_confirmed_at ? { account } : { problem: 'account_not_confirmed' };
    if (this.config.SIGN_UP === 'closed') return { problem: 'sign_up_closed' };
    if (accountId === undefined) return undefined;
    const holder = { email, name, passwordHash: null, emailConfirmed: true };
    const opened = await this.accounts.open(manager, accountId, holder, holderAt(address));
    return opened.ok ? { account: opened.value } : undefined;
  }
}

function hash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
