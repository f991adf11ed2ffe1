import type { KeyMode, Owner } from '@currawong/contracts';
import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { timingSafeEqual } from 'node:crypto';
import type { SessionOwner } from '../accounts/sessions/sessions';
import { RequestLimits } from '../rate-limits/request-limits';
import { Identities } from './identity';
import { RefusalException } from './refusal.exception';

/** For whom a request may act: by a key or by a session, never both. */
export interface RequestCaller {
  owner: Owner;
  keyId: string | null;
  sessionId: string | null;
}

interface AdmittedRequest extends Request {
  caller?: RequestCaller;
  session?: SessionOwner;
}

/**
 * Lets in whoever sends a valid `X-API-Key` of an active account, or is signed in on the dashboard. A session sees live
 * jobs, or test jobs where it sends `X-Currawong-Mode: test`. Nothing of the body has been read by then.
 */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    private readonly identities: Identities,
    private readonly limits: RequestLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { request, response } = ofHttp(context);
    const identity = await this.identities.of(request);
    switch (identity.kind) {
      case 'key': {
        const { keyId, accountId, accountState, mode } = identity.key;
        requireActive(accountState);
        request.caller = { owner: { account_id: accountId, mode }, keyId, sessionId: null };
        return true;
      }
      case 'session': {
        const { sessionId, accountId } = admit(request, identity.session);
        const owner = { account_id: accountId, mode: modeOf(request) };
        request.caller = { owner, keyId: null, sessionId };
        return true;
      }
      case 'nobody':
        await this.limits.countFailure(request, response);
        throw RefusalException.of('invalid_api_key');
    }
  }
}

/** Lets in whoever is signed in on the dashboard, and no key: a leaked key must not be able to make others. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly identities: Identities,
    private readonly limits: RequestLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { request, response } = ofHttp(context);
    const identity = await this.identities.of(request);
    if (identity.kind === 'session') {
      admit(request, identity.session);
      return true;
    }
    // A valid key is no failed authentication, only the wrong kind of it.
    if (identity.kind === 'nobody') await this.limits.countFailure(request, response);
    throw RefusalException.of('sign_in_required');
  }
}

/** The account and mode that the request acts for. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Owner => {
  return callerOf(context).owner;
});

/** The id of the request's key; null for a session. */
export const CallerKeyId = createParamDecorator((_: unknown, context: ExecutionContext): string | null => {
  return callerOf(context).keyId;
});

/** Who is signed in; on routes behind SessionGuard alone. */
export const Session = createParamDecorator((_: unknown, context: ExecutionContext): SessionOwner => {
  const { session } = ofHttp(context).request;
  if (!session) throw new Error('This route is not behind SessionGuard.');
  return session;
});

function callerOf(context: ExecutionContext): RequestCaller {
  const { caller } = ofHttp(context).request;
  if (!caller) throw new Error('This route is not behind CallerGuard.');
  return caller;
}

/** @throws RefusalException where another site made the browser send this, or the account is not active */
function admit(request: AdmittedRequest, session: SessionOwner): SessionOwner {
  const changesNothing = request.method === 'GET' || request.method === 'HEAD';
  if (!changesNothing && !isSame(String(request.headers['x-csrf-token'] ?? ''), session.csrfToken))
    throw RefusalException.of('cross_site_request');
  requireActive(session.accountState);
  request.session = session;
  return session;
}

function requireActive(state: SessionOwner['accountState']): void {
  if (state !== 'active') throw RefusalException.of('account_inactive');
}

function modeOf(request: Request): KeyMode {
  return request.headers['x-currawong-mode'] === 'test' ? 'test' : 'live';
}

function isSame(sent: string, expected: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function ofHttp(context: ExecutionContext): { request: AdmittedRequest; response: Response } {
  const http = context.switchToHttp();
  return { request: http.getRequest<AdmittedRequest>(), response: http.getResponse<Response>() };
}
