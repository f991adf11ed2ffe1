import {
  AccountChange,
  AccountClosing,
  PasswordChange,
  type AccountBody,
  type AuditLog,
  type DoneBody,
} from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Patch,
  Post,
  Put,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import { Session, SessionGuard } from '../../http/caller';
import { clientAddress } from '../../http/client-address';
import { JsonBody } from '../../http/json-body';
import { parse } from '../../http/parse';
import { valueOf } from '../../http/refusal.exception';
import { versioned } from '../../http/versioned';
import { Accounts } from '../accounts';
import { readAuditLog } from '../audit/audit-log';
import { Passwords } from '../passwords/passwords';
import { clearSessionCookie } from '../sessions/session-cookie';
import type { SessionOwner } from '../sessions/sessions';
import { Holder } from './holder';

type Done = z.infer<typeof DoneBody>;
export const AuditQuery = z.object({
  before: z.uuid('must be the next_before of the page before').optional(),
});

/** The account of whoever is signed in. */
@Controller(versioned('account'))
@UseGuards(SessionGuard)
export class HolderController {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly source: DataSource,
    private readonly accounts: Accounts,
    private readonly holder: Holder,
    private readonly passwords: Passwords,
  ) {}

  @Get()
  show(@Session() { accountId }: SessionOwner): Promise<AccountBody> {
    return this.accounts.describe(accountId);
  }

  @Patch()
  async change(
    @Session() { accountId }: SessionOwner,
    @JsonBody(AccountChange) change: AccountChange,
    @Req() request: Request,
  ): Promise<AccountBody> {
    return valueOf(await this.holder.change(accountId, change, clientAddress(request)));
  }

  @Put('password')
  async changePassword(
    @Session() session: SessionOwner,
    @JsonBody(PasswordChange) wanted: z.infer<typeof PasswordChange>,
    @Req() request: Request,
  ): Promise<Done> {
    const { current_password, password } = wanted;
    valueOf(await this.passwords.change(session, current_password, password, clientAddress(request)));
    return { status: 'changed' };
  }

  @Post('close')
  @HttpCode(200)
  async close(
    @Session() { accountId }: SessionOwner,
    @JsonBody(AccountClosing) { confirmation }: z.infer<typeof AccountClosing>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Done> {
    valueOf(await this.holder.close(accountId, confirmation, clientAddress(request)));
    clearSessionCookie(response, this.config);
    return { status: 'closed' };
  }

  @Get('audit-log')
  auditLog(@Session() { accountId }: SessionOwner, @Query() query: unknown): Promise<AuditLog> {
    return readAuditLog(this.source, accountId, parse(AuditQuery, query).before ?? null);
  }
}
