import type { Owner } from '@currawong/contracts';
import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { KeyOwner } from '../accounts/accounts';
import { KeyCache } from '../accounts/key-cache';
import { RefusalException } from './refusal.exception';

interface AuthenticatedRequest extends Request {
  caller?: Owner;
}

/** Lets in whoever sends a valid `X-API-Key` of an active account. Nothing of the body has been read by then. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly keys: KeyCache) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const key = request.headers['x-api-key'];
    const owner = typeof key === 'string' ? await this.ownerOf(key) : undefined;
    if (!owner) throw RefusalException.of('invalid_api_key');
    if (owner.accountState !== 'active') throw RefusalException.of('account_inactive');
    request.caller = { account_id: owner.accountId, mode: owner.mode };
    return true;
  }

  /** @throws RefusalException when nobody can be looked up now: that says nothing of the key */
  private ownerOf(key: string): Promise<KeyOwner | undefined> {
    return this.keys.ownerOf(key).catch((error: unknown) => {
      throw RefusalException.of('unavailable', undefined, error);
    });
  }
}

/** The account and key mode behind the request's key. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Owner => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!caller) throw new Error('This route is not behind ApiKeyGuard.');
  return caller;
});
