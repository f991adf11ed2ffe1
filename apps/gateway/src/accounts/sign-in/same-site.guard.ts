import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { GATEWAY_CONFIG, publicUrl, type GatewayConfig } from '../../config';
import { RefusalException } from '../../http/refusal.exception';

/**
 * For what changes something before anybody is signed in, when there is no token yet to tell our own page by: another
 * site could otherwise sign a browser in to an account of its own choice. Browsers say where a request comes from;
 * what says nothing is no browser, and has no cookies that could be abused.
 */
@Injectable()
export class SameSiteGuard implements CanActivate {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  canActivate(context: ExecutionContext): boolean {
    if (!isSameSite(context.switchToHttp().getRequest<IncomingMessage>(), publicUrl(this.config)))
      throw RefusalException.of('cross_site_request');
    return true;
  }
}

/** @param ownOrigin where browsers are meant to reach us; they may also have come by another name of this host */
export function isSameSite({ headers }: Pick<IncomingMessage, 'headers'>, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  if (origin === undefined || origin === ownOrigin) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
