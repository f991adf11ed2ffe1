import type { SignInProblem } from '@currawong/contracts';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import { clientAddress } from '../../http/client-address';
import { RefusalException } from '../../http/refusal.exception';
import { versioned } from '../../http/versioned';
import { readCookie, setCookie, setSessionCookie } from '../sessions/session-cookie';
import { MAX_AGE_DAYS, Sessions } from '../sessions/sessions';
import { AttemptLimits } from '../sign-in/attempt-limits';
import { IdentityProvider } from './identity-provider';
import { ATTEMPT_MINUTES, OidcSignIn } from './oidc-sign-in';

const ATTEMPT_COOKIE = 'currawong_oidc';

/** To the identity provider and back. Browsers come here by themselves, so every answer leads to a page. */
@Controller(versioned('oidc'))
export class OidcController {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly provider: IdentityProvider,
    private readonly oidc: OidcSignIn,
    private readonly sessions: Sessions,
    private readonly limits: AttemptLimits,
  ) {}

  @Get('start')
  async start(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.requireProvider();
    await this.limits.signInFrom(clientAddress(request));
    const started = await this.oidc.start();
    if ('problem' in started) return leadToProblem(response, started.problem);
    setCookie(response, ATTEMPT_COOKIE, started.token, ATTEMPT_MINUTES * 60, this.config);
    response.redirect(302, started.location);
  }

  @Get('callback')
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.requireProvider();
    const token = readCookie(request, ATTEMPT_COOKIE, this.config);
    setCookie(response, ATTEMPT_COOKIE, '', 0, this.config);
    const query = new URL(request.originalUrl, 'http://localhost').search;
    const previous = await this.sessions.ofRequest(request);
    const ended = await this.oidc.finish(token, query, clientAddress(request), previous);
    if ('problem' in ended) return leadToProblem(response, ended.problem);
    setSessionCookie(response, ended.session.token, MAX_AGE_DAYS, this.config);
    response.redirect(302, '/dashboard/');
  }

  private requireProvider(): void {
    if (!this.provider.isSetUp())
      throw RefusalException.of('not_found', 'No identity provider is set up here.');
  }
}

function leadToProblem(response: Response, problem: SignInProblem): void {
  response.redirect(302, `/dashboard/sign-in?problem=${problem}`);
}
