import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import { addressBlock } from '../../http/client-address';
import { RateLimited } from '../../rate-limits/rate-limited.exception';
import { RateLimiter } from '../../rate-limits/rate-limiter';

const QUARTER_HOUR_SECONDS = 900;
const HOUR_SECONDS = 3_600;
/** Many people may share an address. */
const PEOPLE_AT_AN_ADDRESS = 10;

/**
 * How often passwords may be tried, accounts and keys made and mails caused. Attempts are counted before they are looked at, and
 * whatever comes of them: otherwise many at once would get through. Accounts that do not exist count alike.
 */
@Injectable()
export class AttemptLimits {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly limiter: RateLimiter,
  ) {}

  /** @throws RateLimited */
  async signIn(email: string, address: string): Promise<void> {
    const limit = this.config.SIGN_IN_ATTEMPTS_PER_QUARTER_HOUR;
    const block = addressBlock(address);
    await this.signInFrom(address);
    const what = `${limit} attempts to sign in to one account in 15 minutes`;
    await this.count('sign-ins by account', `${email} ${block}`, limit, QUARTER_HOUR_SECONDS, what);
  }

  /** @throws RateLimited */
  async signInFrom(address: string): Promise<void> {
    const limit = this.config.SIGN_IN_ATTEMPTS_PER_QUARTER_HOUR * PEOPLE_AT_AN_ADDRESS;
    const what = `${limit} attempts to sign in from one address in 15 minutes`;
    await this.count('sign-ins by address', addressBlock(address), limit, QUARTER_HOUR_SECONDS, what);
  }

  /** Of somebody signed in who is asked for the password again. @throws RateLimited */
  async confirmPassword(accountId: string): Promise<void> {
    const limit = this.config.SIGN_IN_ATTEMPTS_PER_QUARTER_HOUR;
    const what = `${limit} attempts to confirm the password in 15 minutes`;
    await this.count('password checks', accountId, limit, QUARTER_HOUR_SECONDS, what);
  }

  /** @throws RateLimited */
  async signUp(address: string): Promise<void> {
    const limit = this.config.SIGN_UPS_PER_HOUR;
    const what = `${limit} new accounts from one address in an hour`;
    await this.count('sign-ups', addressBlock(address), limit, HOUR_SECONDS, what);
  }

  /** @throws RateLimited */
  async resetMail(email: string, address: string): Promise<void> {
    const limit = this.config.REQUESTED_MAILS_PER_HOUR;
    const fromOne = limit * PEOPLE_AT_AN_ADDRESS;
    await this.count(
      'reset mails by address',
      addressBlock(address),
      fromOne,
      HOUR_SECONDS,
      `${fromOne} messages in an hour`,
    );
    await this.count(
      'reset mails',
      email,
      limit,
      HOUR_SECONDS,
      `${limit} messages to one address in an hour`,
    );
  }

  /** @throws RateLimited */
  async confirmationMail(accountId: string): Promise<void> {
    const limit = this.config.REQUESTED_MAILS_PER_HOUR;
    await this.count('confirmation mails', accountId, limit, HOUR_SECONDS, `${limit} messages in an hour`);
  }

  /** @throws RateLimited */
  async newKey(accountId: string): Promise<void> {
    const limit = this.config.KEYS_PER_HOUR;
    await this.count('new keys', accountId, limit, HOUR_SECONDS, `${limit} new keys in an hour`);
  }

  private async count(
    scope: string,
    subject: string,
    limit: number,
    windowSeconds: number,
    what: string,
  ): Promise<void> {
    const counted = await this.limiter.consume(scope, subject, limit, windowSeconds);
    if (!counted.allowed) throw new RateLimited(counted, 'too_many_failures', what);
  }
}
