import {
  databaseEnvironment,
  integerVariable,
  natsEnvironment,
  serviceEnvironment,
  storeEnvironment,
  storeSettingsTogether,
  urlVariable,
} from '@currawong/config';
import { outboundEnvironment } from '@currawong/outbound';
import { z } from 'zod';

const settings = z.object({
  ...serviceEnvironment.shape,
  ...databaseEnvironment.shape,
  ...natsEnvironment.shape,
  ...storeEnvironment.shape,
  ...outboundEnvironment.shape,
  HOST: z.string().default('0.0.0.0'),
  PORT: z.coerce.number().int().min(1).max(65_535).default(8080),
  /** The largest recording accepted. */
  MAX_FILE_BYTES: z.coerce.number().int().positive().default(500_000_000),
  /** Recordings that one gateway receives at a time; others are asked to come back. Each holds some memory. */
  MAX_UPLOADS: z.coerce.number().int().min(1).default(200),
  /** A gateway whose own timers are later than this, on average of a second, takes no further recordings. */
  MAX_EVENT_LOOP_DELAY_MS: z.coerce.number().int().min(10).default(500),
  /** An upload slower than this is ended: it would hold a connection for hours. */
  MIN_UPLOAD_BYTES_PER_SECOND: z.coerce.number().int().nonnegative().default(1_000),
  /** Where clients reach the object store, for uploads that go there directly; S3_ENDPOINT unless set. */
  S3_PUBLIC_ENDPOINT: urlVariable(['https', 'http'])
    .refine(isOriginAlone, 'must be an origin without a path, such as https://s3.example.com')
    .optional(),
  /** A recording that is fetched from a `file_url` must have come by then. */
  FILE_URL_SECONDS: z.coerce.number().int().min(1).default(900),
  /** ISO 639 codes, comma-separated, and `auto`: accepted in the place of what the workers say that their engines can. */
  LANGUAGES: z
    .string()
    .transform((list) => list.split(',').map((code) => code.trim().toLowerCase()))
    .pipe(
      z
        .array(z.string().regex(/^([a-z]{2,3}|auto)$/))
        .refine((codes) => codes.some((code) => code !== 'auto'), 'must name at least one language'),
    )
    .optional(),
  /**
   * How long a gateway trusts what it knows of a key. Under the second within which a revoked key must be refused: a
   * connection to the broker that hangs brings no news of a revocation, and is noticed only after 20 seconds.
   */
  KEY_CACHE_SECONDS: z.coerce.number().min(0).default(0.8),
  /** Answers kept in memory so that polling a finished job does not read the store each time. */
  TRANSCRIPT_CACHE_BYTES: z.coerce.number().int().nonnegative().default(32_000_000),

  /** What one API key may ask of all gateways together in a minute; an account's sessions have as many POST /transcribe. */
  RATE_LIMIT_TRANSCRIBE_PER_MINUTE: integerVariable({ min: 1 }).default(10),
  /** Everything but POST /transcribe. */
  RATE_LIMIT_REQUESTS_PER_MINUTE: integerVariable({ min: 1 }).default(60),
  /** The same for all sessions of an account: a page of the dashboard asks for several things at once. */
  RATE_LIMIT_SESSION_REQUESTS_PER_MINUTE: integerVariable({ min: 1 }).default(300),
  /** Requests without a valid key or session, from one address. */
  RATE_LIMIT_FAILURES_PER_MINUTE: integerVariable({ min: 1 }).default(100),
  /** How many proxies before this gateway add the client's address to X-Forwarded-For. Too many, and clients choose theirs. */
  TRUSTED_PROXY_HOPS: integerVariable({ min: 0, max: 10 }).default(0),

  /** Where browsers reach this gateway; links in mails and the identity provider lead there. http://localhost:PORT unless set. */
  PUBLIC_URL: urlVariable(['https', 'http'])
    .refine(isOriginAlone, 'must be an origin without a path, such as https://api.example.com')
    .transform((url) => new URL(url).origin)
    .optional(),
  /** The folder with the built dashboard; beside the gateway's own build unless set. */
  DASHBOARD_DIR: z.string().optional(),
  /** Whether anybody may make an account, or the operator alone. */
  SIGN_UP: z.enum(['open', 'closed']).default('open'),
  /** What an account is given that signs itself up. */
  FREE_MINUTES: integerVariable({ min: 0, max: 1_000_000 }).default(90),
  /** Attempts to sign in to one account from one address in a quarter of an hour; ten times as many from one address. */
  SIGN_IN_ATTEMPTS_PER_QUARTER_HOUR: integerVariable({ min: 1 }).default(10),
  /** New accounts from one address. */
  SIGN_UPS_PER_HOUR: integerVariable({ min: 1 }).default(10),
  /** Mails that somebody can cause to be sent to one address. */
  REQUESTED_MAILS_PER_HOUR: integerVariable({ min: 1 }).default(5),
  /** New API keys of one account. */
  KEYS_PER_HOUR: integerVariable({ min: 1 }).default(20),
  /** smtp://user:password@host:587, or smtps://. Without it mails are written to the log instead. */
  SMTP_URL: urlVariable(['smtp', 'smtps']).optional(),
  /** Whom mails come from: Currawong <no-reply@example.com> */
  MAIL_FROM: z
    .string()
    .regex(
      /^([^<>\r\n]*<)?[^\s<>@]+@[^\s<>@]+>?$/,
      'must be an address such as Currawong <no-reply@example.com>',
    )
    .optional(),
  /** The identity provider whose people may sign in here: OpenID Connect. */
  OIDC_ISSUER: urlVariable(['https', 'http'])
    .refine(isHttpsOrLocal, 'must start with https:// unless it is on this machine')
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  /** Left out for a public client. */
  OIDC_CLIENT_SECRET: z.string().optional(),
  /** What the sign-in page calls it. */
  OIDC_NAME: z.string().max(60, 'must have at most 60 characters').default('single sign-on'),
});

/** All of the settings; those that only make sense together are checked together. */
export const GatewayEnvironment = settings.superRefine((config, context) => {
  storeSettingsTogether(config, context);
  const needs = (name: keyof typeof config, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (config.SMTP_URL && !config.MAIL_FROM) needs('MAIL_FROM', 'it is required with SMTP_URL');
  if (config.OIDC_ISSUER && !config.OIDC_CLIENT_ID)
    needs('OIDC_CLIENT_ID', 'it is required with OIDC_ISSUER');
  if (!config.OIDC_ISSUER && (config.OIDC_CLIENT_ID || config.OIDC_CLIENT_SECRET))
    needs('OIDC_ISSUER', 'it is required with OIDC_CLIENT_ID and OIDC_CLIENT_SECRET');
});
export type GatewayConfig = z.infer<typeof GatewayEnvironment>;

export const GATEWAY_CONFIG = Symbol('GatewayConfig');

/** Without a slash at the end. */
export function publicUrl({ PUBLIC_URL, PORT }: Pick<GatewayConfig, 'PUBLIC_URL' | 'PORT'>): string {
  return PUBLIC_URL ?? `http://localhost:${PORT}`;
}

function isOriginAlone(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { pathname, search, hash, username } = new URL(url);
  return pathname === '/' && search === '' && hash === '' && username === '';
}

function isHttpsOrLocal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
