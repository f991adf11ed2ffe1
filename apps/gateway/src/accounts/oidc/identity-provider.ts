import { Inject, Injectable, Logger } from '@nestjs/common';
import * as oidc from 'openid-client';
import { GATEWAY_CONFIG, publicUrl, type GatewayConfig } from '../../config';

const ANSWER_WITHIN_SECONDS = 5;
const SCOPE = 'openid email profile';

/** What must be the same when somebody comes back from the identity provider. */
export interface Attempt {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** What the identity provider says of somebody. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Undefined where it does not vouch for it. */
  verifiedEmail: string | undefined;
  name: string | null;
}

/** `unavailable`: it did not answer, or nonsense. `refused`: it answered that this person is not let in this time. */
export type Asked<T> = { kind: 'ok'; value: T } | { kind: 'unavailable' } | { kind: 'refused' };

/** The OpenID provider that the operator has set up. It is asked for its addresses when they are first needed. */
@Injectable()
export class IdentityProvider {
  private readonly log = new Logger(IdentityProvider.name);
  private discovered: Promise<oidc.Configuration> | undefined;

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  isSetUp(): boolean {
    return this.config.OIDC_ISSUER !== undefined;
  }

  /** Where to send the browser, and what to remember until it is back. */
  start(): Promise<Asked<{ attempt: Attempt; location: string }>> {
    return this.ask(async (configuration) => {
      const attempt = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        codeVerifier: oidc.randomPKCECodeVerifier(),
      };
      const location = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: this.redirectUri(),
        scope: SCOPE,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { attempt, location: location.href };
    });
  }

  /** @param query what the provider added to our address, with its question mark */
  finish(query: string, { state, nonce, codeVerifier }: Attempt): Promise<Asked<Identity>> {
    return this.ask(async (configuration) => {
      const tokens = await oidc.authorizationCodeGrant(configuration, new URL(this.redirectUri() + query), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // Many providers put no more into the token than who it is; the rest is to be asked for.
      const said =
        claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint
          ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims;
      const { email, email_verified, name } = said;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        verifiedEmail: typeof email === 'string' && email_verified === true ? email.toLowerCase() : undefined,
        name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 200) : null,
      };
    });
  }

  private async ask<T>(work: (configuration: oidc.Configuration) => Promise<T>): Promise<Asked<T>> {
    try {
      return { kind: 'ok', value: await work(await this.discover()) };
    } catch (error) {
      const refused = isRefusal(error);
      // The codes alone: what the provider wrote beside them may name people.
      this.log.warn(
        `the identity provider ${refused ? 'refused' : 'could not be asked'}: ${reasonOf(error)}`,
      );
      return { kind: refused ? 'refused' : 'unavailable' };
    }
  }

  /** Kept once it has succeeded; asked again after a failure. */
  private discover(): Promise<oidc.Configuration> {
    const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = this.config;
    const issuer = new URL(OIDC_ISSUER!);
    this.discovered ??= oidc
      .discovery(
        issuer,
        OIDC_CLIENT_ID!,
        undefined,
        OIDC_CLIENT_SECRET === undefined ? oidc.None() : oidc.ClientSecretBasic(OIDC_CLIENT_SECRET),
        {
          timeout: ANSWER_WITHIN_SECONDS,
          // The settings allow this on this machine alone.
          execute: issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
        },
      )
      .catch((error: unknown) => {
        this.discovered = undefined;
        throw error;
      });
    return this.discovered;
  }

  private redirectUri(): string {
    return `${publicUrl(this.config)}/api/v1/oidc/callback`;
  }
}

/** The provider, or the browser, said no: other than with a provider that is away, trying again at once may help. */
function isRefusal(error: unknown): boolean {
  if (error instanceof oidc.AuthorizationResponseError) return true;
  if (error instanceof oidc.ResponseBodyError) return error.status < 500;
  // A state, nonce or token that is not what was expected.
  return error instanceof oidc.ClientError && !isUnreachable(error);
}

function isUnreachable(error: oidc.ClientError): boolean {
  return (
    error.code === 'OAUTH_TIMEOUT' ||
    error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' ||
    error.code === 'OAUTH_RESPONSE_IS_NOT_JSON'
  );
}

function reasonOf(error: unknown): string {
  const {
    name,
    code,
    error: said,
    cause,
  } = error as {
    name?: string;
    code?: string;
    error?: string;
    cause?: { code?: string };
  };
  return [name, code, said, cause?.code].filter((part) => typeof part === 'string').join(' ');
}
