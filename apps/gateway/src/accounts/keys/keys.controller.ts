import { NewApiKey, type ApiKeyBody, type ApiKeyList, type CreatedApiKey } from '@currawong/contracts';
import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import type { z } from 'zod';
import { Session, SessionGuard } from '../../http/caller';
import { clientAddress } from '../../http/client-address';
import { isUuid } from '../../http/is-uuid';
import { JsonBody } from '../../http/json-body';
import { RefusalException, valueOf } from '../../http/refusal.exception';
import { versioned } from '../../http/versioned';
import { holderAt } from '../audit/audit-log';
import type { SessionOwner } from '../sessions/sessions';
import { AttemptLimits } from '../sign-in/attempt-limits';
import { Keys, MAX_UNREVOKED_KEYS } from './keys';

/** API keys, as their holder sees and makes them. */
@Controller(versioned('keys'))
@UseGuards(SessionGuard)
export class KeysController {
  constructor(
    private readonly keys: Keys,
    private readonly limits: AttemptLimits,
  ) {}

  @Get()
  async list(@Session() { accountId }: SessionOwner): Promise<ApiKeyList> {
    return { keys: await this.keys.list(accountId), maximum_unrevoked: MAX_UNREVOKED_KEYS };
  }

  @Post()
  async create(
    @Session() { accountId, sessionId }: SessionOwner,
    @JsonBody(NewApiKey) { name, mode }: z.infer<typeof NewApiKey>,
    @Req() request: Request,
  ): Promise<CreatedApiKey> {
    // Each key has an allowance of requests of its own: a fresh one after each would be as many as wanted.
    await this.limits.newKey(accountId);
    const by = holderAt(clientAddress(request));
    return valueOf(await this.keys.create(accountId, name, mode, by, sessionId));
  }

  @Delete(':id')
  async revoke(
    @Session() { accountId }: SessionOwner,
    @Param('id') id: string,
    @Req() request: Request,
  ): Promise<ApiKeyBody> {
    const revoked = isUuid(id)
      ? await this.keys.revoke(id, accountId, holderAt(clientAddress(request)))
      : undefined;
    if (!revoked) throw RefusalException.of('key_not_found');
    return revoked;
  }
}
