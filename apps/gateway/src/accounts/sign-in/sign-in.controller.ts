import {
  SignIn as SignInWish,
  SignUp,
  type DoneBody,
  type SessionBody,
  type SignInOptions,
} from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Controller, Delete, Get, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import { Session, SessionGuard } from '../../http/caller';
import { clientAddress } from '../../http/client-address';
import { JsonBody } from '../../http/json-body';
import { valueOf } from '../../http/refusal.exception';
import { versioned } from '../../http/versioned';
import { Accounts } from '../accounts';
import { audit, holderAt } from '../audit/audit-log';
import { clearSessionCookie, setSessionCookie } from '../sessions/session-cookie';
import { MAX_AGE_DAYS, Sessions, type SessionOwner } from '../sessions/sessions';
import { SameSiteGuard } from './same-site.guard';
import { asSessionBody, SignIn, type SignedIn } from './sign-in';

/** Into the dashboard and out again. */
@Controller()
export class SignInController {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly source: DataSource,
    private readonly accounts: Accounts,
    private readonly sessions: Sessions,
    private readonly signIn: SignIn,
  ) {}

  @Get(versioned('sign-in-options'))
  options(): SignInOptions {
    const { SIGN_UP, OIDC_ISSUER, OIDC_NAME } = this.config;
    return { sign_up: SIGN_UP === 'open', identity_provider: OIDC_ISSUER ? OIDC_NAME : null };
  }

  @Post(versioned('sign-up'))
  @HttpCode(201)
  @UseGuards(SameSiteGuard)
  async signUp(
    @JsonBody(SignUp) wanted: z.infer<typeof SignUp>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionBody> {
    const previous = await this.sessions.ofRequest(request);
    return this.enter(valueOf(await this.signIn.signUp(wanted, clientAddress(request), previous)), response);
  }

  @Post(versioned('session'))
  @HttpCode(200)
  @UseGuards(SameSiteGuard)
  async begin(
    @JsonBody(SignInWish) wanted: z.infer<typeof SignInWish>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionBody> {
    const previous = await this.sessions.ofRequest(request);
    return this.enter(valueOf(await this.signIn.signIn(wanted, clientAddress(request), previous)), response);
  }

  @Get(versioned('session'))
  @UseGuards(SessionGuard)
  async show(@Session() { accountId, csrfToken }: SessionOwner): Promise<SessionBody> {
    return { account: await this.accounts.describe(accountId), csrf_token: csrfToken };
  }

  @Delete(versioned('session'))
  @UseGuards(SessionGuard)
  async end(
    @Session() { accountId, sessionId }: SessionOwner,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<z.infer<typeof DoneBody>> {
    await this.source.transaction(async (manager) => {
      if (await this.sessions.end(manager, sessionId))
        await audit(manager, accountId, 'signed_out', holderAt(clientAddress(request)));
    });
    this.sessions.forgetEverywhere(accountId);
    clearSessionCookie(response, this.config);
    return { status: 'signed out' };
  }

  private enter(signedIn: SignedIn, response: Response): SessionBody {
    setSessionCookie(response, signedIn.session.token, MAX_AGE_DAYS, this.config);
    return asSessionBody(signedIn);
  }
}
