import { EmailConfirmation, type DoneBody } from '@currawong/contracts';
import { Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import type { z } from 'zod';
import { Session, SessionGuard } from '../../http/caller';
import { clientAddress } from '../../http/client-address';
import { JsonBody } from '../../http/json-body';
import { RefusalException } from '../../http/refusal.exception';
import { versioned } from '../../http/versioned';
import { Accounts } from '../accounts';
import { holderAt } from '../audit/audit-log';
import type { SessionOwner } from '../sessions/sessions';
import { AttemptLimits } from '../sign-in/attempt-limits';
import { EmailConfirmations } from './email-confirmations';

@Controller(versioned('email-confirmation'))
export class EmailConfirmationController {
  constructor(
    private readonly accounts: Accounts,
    private readonly confirmations: EmailConfirmations,
    private readonly limits: AttemptLimits,
  ) {}

  /** Sends the mail again. */
  @Post()
  @HttpCode(202)
  @UseGuards(SessionGuard)
  async send(@Session() { accountId }: SessionOwner): Promise<z.infer<typeof DoneBody>> {
    await this.limits.confirmationMail(accountId);
    const account = await this.accounts.find(accountId);
    await this.confirmations.sendAgain(account!);
    return { status: 'sent' };
  }

  @Post('confirm')
  @HttpCode(200)
  @UseGuards(SessionGuard)
  async confirm(
    @Session() { accountId }: SessionOwner,
    @JsonBody(EmailConfirmation) { token }: z.infer<typeof EmailConfirmation>,
    @Req() request: Request,
  ): Promise<z.infer<typeof DoneBody>> {
    if (!(await this.confirmations.confirm(token, accountId, holderAt(clientAddress(request)))))
      throw RefusalException.of('link_expired');
    return { status: 'confirmed' };
  }
}
