import { AccountSessionsEnded, type AccountState } from '@currawong/contracts';
import { DataSource, row, type EntityManager } from '@currawong/database';
import { MessagingConnection, Notices } from '@currawong/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { v7 as uuidv7 } from 'uuid';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import { OwnerCache } from '../owner-cache';
import { sessionCookieOf } from './session-cookie';

/** A session ends when it was not used for two weeks, and in any case after 30 days. */
export const IDLE_DAYS = 14;
export const MAX_AGE_DAYS = 30;
const ALIVE = `s.last_used_at > now() - interval '${IDLE_DAYS} days' AND s.created_at > now() - interval '${MAX_AGE_DAYS} days'`;

/** 256 random bits as base64url. */
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

/** Who is signed in on the dashboard. */
export interface SessionOwner {
  sessionId: string;
  accountId: string;
  accountState: AccountState;
  /** What `X-CSRF-Token` must say on every request of this session that changes something. */
  csrfToken: string;
}

/** A session just begun: the only time that its token is known. */
export interface NewSession {
  sessionId: string;
  token: string;
  csrfToken: string;
}

/** The sessions of people who signed in on the dashboard. */
@Injectable()
export class Sessions {
  private readonly owners: OwnerCache<SessionOwner>;

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly source: DataSource,
    private readonly notices: Notices,
    connection: MessagingConnection,
  ) {
    this.owners = new OwnerCache(connection, config.KEY_CACHE_SECONDS);
  }

  /** @returns undefined for a request without a session that is still good */
  async ofRequest(request: IncomingMessage): Promise<SessionOwner | undefined> {
    const token = sessionCookieOf(request, this.config);
    if (token === undefined || !TOKEN_FORM.test(token)) return undefined;
    const tokenHash = hashToken(token);
    return this.owners.get(tokenHash, () => this.findOwner(tokenHash));
  }

  /** Always a new one: a token that was there before somebody signed in is worth nothing afterwards. */
  async begin(manager: EntityManager, accountId: string): Promise<NewSession> {
    const session = {
      sessionId: uuidv7(),
      token: randomBytes(32).toString('base64url'),
      csrfToken: randomBytes(32).toString('base64url'),
    };
    await manager.query(
      'INSERT INTO sessions (id, account_id, token_hash, csrf_token) VALUES ($1, $2, $3, $4)',
      [session.sessionId, accountId, hashToken(session.token), session.csrfToken],
    );
    return session;
  }

  /** Whether it has not been ended; asked in the transaction that acts for it. */
  async goesOn(manager: EntityManager, sessionId: string): Promise<boolean> {
    return (await row(manager, 'SELECT id FROM sessions WHERE id = $1', [sessionId])) !== undefined;
  }

  /** After its commit say `forgetEverywhere`. @returns whether there was such a session still */
  async end(manager: EntityManager, sessionId: string): Promise<boolean> {
    return (await row(manager, 'DELETE FROM sessions WHERE id = $1 RETURNING id', [sessionId])) !== undefined;
  }

  /** After its commit say `forgetEverywhere`. @param exceptId a session that goes on; null for none */
  async endAll(manager: EntityManager, accountId: string, exceptId: string | null = null): Promise<void> {
    await manager.query('DELETE FROM sessions WHERE account_id = $1 AND id IS DISTINCT FROM $2', [
      accountId,
      exceptId,
    ]);
  }

  /** Tells every gateway, after a commit that ended sessions of an account or changed its state. */
  forgetEverywhere(accountId: string): void {
    this.forget(accountId);
    this.notices.send(AccountSessionsEnded, { account_id: accountId });
  }

  /** In this process. */
  forget(accountId: string): void {
    this.owners.forget(accountId);
  }

  /** Sessions that are over but were never ended. @returns how many there were */
  async deleteExpired(): Promise<number> {
    const [, deleted] = await this.source.query<[unknown, number]>(
      `DELETE FROM sessions s WHERE NOT (${ALIVE})`,
    );
    return deleted;
  }

  private async findOwner(tokenHash: Buffer): Promise<SessionOwner | undefined> {
    const found = await row<SessionOwner & { stale: boolean }>(
      this.source,
      `SELECT s.id AS "sessionId", s.account_id AS "accountId", s.csrf_token AS "csrfToken",
              a.state AS "accountState", s.last_used_at < now() - interval '1 hour' AS stale
         FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.token_hash = $1 AND ${ALIVE}`,
      [tokenHash],
    );
    if (!found) return undefined;
    const { stale, ...owner } = found;
    // Once an hour is enough to know what two weeks of rest are.
    if (stale)
      await this.source.query('UPDATE sessions SET last_used_at = now() WHERE id = $1', [owner.sessionId]);
    return owner;
  }
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
