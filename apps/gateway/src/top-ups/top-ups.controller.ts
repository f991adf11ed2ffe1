import { ListTopUps, NewTopUp, StartTopUp, type TopUpBody, type TopUpList } from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Controller, Get, HttpCode, Inject, Post, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { Accounts } from '../accounts/accounts';
import type { SessionOwner } from '../accounts/sessions/sessions';
import { GATEWAY_CONFIG, publicUrl, type GatewayConfig } from '../config';
import { microAudOf } from '../credit/aud';
import { Session, SessionGuard } from '../http/caller';
import { JsonBody } from '../http/json-body';
import { RefusalException, valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';

/** The provider of payments is asked while the customer waits. */
const START_DEADLINE_MS = 20_000;

/** Credit bought by card, by whoever is signed in: a key spends money, it does not move it. */
@Controller(versioned('top-ups'))
@UseGuards(SessionGuard)
export class TopUpsController {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly requester: Requester,
    private readonly accounts: Accounts,
  ) {}

  @Get()
  async list(@Session() { accountId }: SessionOwner): Promise<TopUpList> {
    return valueOf(await this.requester.ask(ListTopUps, { account_id: accountId }));
  }

  @Post()
  @HttpCode(201)
  async start(
    @Session() { accountId }: SessionOwner,
    @JsonBody(NewTopUp) { amount_aud }: z.infer<typeof NewTopUp>,
  ): Promise<TopUpBody> {
    const amount_micro_aud = microAudOf(amount_aud);
    if (amount_micro_aud === 0)
      throw RefusalException.of('invalid_parameter', 'amount_aud: must be more than 0');
    const { email } = await this.accounts.describe(accountId);
    return valueOf(
      await this.requester.ask(
        StartTopUp,
        {
          account_id: accountId,
          email,
          amount_micro_aud,
          return_url: `${publicUrl(this.config)}/dashboard/billing`,
        },
        { deadlineMs: START_DEADLINE_MS },
      ),
    );
  }
}
