import {
  WebhookChange,
  type WebhookDeliveryDetail,
  type WebhookSecret,
  type WebhookSettings,
} from '@currawong/contracts';
import { Controller, Get, HttpCode, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { holderAt } from '../accounts/audit/audit-log';
import type { SessionOwner } from '../accounts/sessions/sessions';
import { Session, SessionGuard } from '../http/caller';
import { clientAddress } from '../http/client-address';
import { JsonBody } from '../http/json-body';
import { valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { Deliveries } from './deliveries';
import { Endpoints } from './endpoints';

/** Longer than an attempt may take, unless the operator has set another limit for that. */
const TEST_WAIT_MS = 20_000;
const TEST_POLL_MS = 150;

/** Where an account wants to be told of the ends of its jobs. For whoever is signed in: a leaked key must not redirect them. */
@Controller(versioned('webhooks'))
@UseGuards(SessionGuard)
export class WebhooksController {
  constructor(
    private readonly endpoints: Endpoints,
    private readonly deliveries: Deliveries,
  ) {}

  @Get()
  show(@Session() { accountId }: SessionOwner): Promise<WebhookSettings> {
    return this.endpoints.settings(accountId);
  }

  @Put()
  async change(
    @Session() { accountId }: SessionOwner,
    @JsonBody(WebhookChange) { url }: z.infer<typeof WebhookChange>,
    @Req() request: Request,
  ): Promise<WebhookSettings> {
    return valueOf(await this.endpoints.set(accountId, url, holderAt(clientAddress(request))));
  }

  @Get('secret')
  showSecret(@Session() { accountId }: SessionOwner, @Req() request: Request): Promise<WebhookSecret> {
    return this.endpoints.showSecret(accountId, holderAt(clientAddress(request)));
  }

  @Post('secret/rotation')
  @HttpCode(200)
  rotateSecret(@Session() { accountId }: SessionOwner, @Req() request: Request): Promise<WebhookSecret> {
    return this.endpoints.rotateSecret(accountId, holderAt(clientAddress(request)));
  }

  /** Sends a message that says nothing, and waits for what becomes of it; still `pending` where that takes too long. */
  @Post('test')
  @HttpCode(200)
  async test(@Session() { accountId }: SessionOwner): Promise<WebhookDeliveryDetail> {
    const owner = { account_id: accountId, mode: 'live' as const };
    const id = valueOf(await this.deliveries.writeTest(owner));
    const giveUpAtMs = performance.now() + TEST_WAIT_MS;
    for (;;) {
      const delivery = await this.deliveries.show(owner, id);
      if (!delivery) throw new Error(`the test delivery ${id} is gone`);
      if (delivery.status !== 'pending' || performance.now() > giveUpAtMs) return delivery;
      await sleep(TEST_POLL_MS);
    }
  }
}
