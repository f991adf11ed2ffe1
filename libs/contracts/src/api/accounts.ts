import { z } from 'zod';
import { AccountState } from '../accounts';
import { KeyMode } from '../jobs';
import { ExactAud, Timestamp } from './primitives';

const Email = z
  .email('must be an email address')
  .max(254, 'must have at most 254 characters')
  .transform((email) => email.toLowerCase());
/** A passphrase may be long; what is shorter is guessed. No rules about kinds of characters (NIST SP 800-63B). */
const NewPassword = z
  .string('must be a text')
  .min(10, 'must have at least 10 characters')
  .max(256, 'must have at most 256 characters');
const SentPassword = z.string('must be a text').min(1, 'must not be empty').max(256);
const Token = z.string().min(1).max(200);

/** An account as its holder sees it. */
export const AccountBody = z.object({
  id: z.uuid(),
  email: z.string(),
  email_confirmed: z.boolean(),
  /** Of the business or the person, as invoices name them. */
  name: z.string().nullable(),
  state: AccountState,
  created_at: Timestamp,
  /** False for those who come in through an identity provider alone. */
  has_password: z.boolean(),
  /** Recordings are erased so many days after their job ended; their texts stay. */
  audio_retention_days: z.number().int(),
  /** Jobs are erased whole so many days after they ended; null: not before they are deleted. */
  transcript_retention_days: z.number().int().nullable(),
  /** A message is sent when the balance falls below; null: never. */
  low_balance_notice_aud: ExactAud.nullable(),
});
export type AccountBody = z.infer<typeof AccountBody>;

/** Who is signed in. `csrf_token` goes into the header `X-CSRF-Token` of every request that changes something. */
export const SessionBody = z.object({ account: AccountBody, csrf_token: z.string() });
export type SessionBody = z.infer<typeof SessionBody>;

/** What the sign-in page may offer. */
export const SignInOptions = z.object({
  sign_up: z.boolean(),
  /** The name of the identity provider, where there is one: GET /oidc/start leads to it. */
  identity_provider: z.string().nullable(),
});
export type SignInOptions = z.infer<typeof SignInOptions>;

/** Why somebody comes back from the identity provider without being signed in: /dashboard/sign-in?problem=… */
export const SignInProblem = z.enum([
  /** It does not answer, or not as it should. Try again later. */
  'provider_unavailable',
  /** It refused, the person changed their mind, or the way there and back took too long. Try again. */
  'sign_in_failed',
  /** It does not vouch for the person's email address. */
  'email_not_verified',
  /** There is an account with this address whose holder has not confirmed it: sign in with the password first. */
  'account_not_confirmed',
  'sign_up_closed',
  'account_inactive',
]);
export type SignInProblem = z.infer<typeof SignInProblem>;

export const SignUp = z.object({
  email: Email,
  password: NewPassword,
  name: z.string().trim().min(1).max(200).optional(),
});
export const SignIn = z.object({ email: Email, password: SentPassword });
export const PasswordResetRequest = z.object({ email: Email });
export const PasswordReset = z.object({ token: Token, password: NewPassword });
/** Keys are revoked where the address had not been confirmed before: somebody else may have made the account. */
export const PasswordResetBody = z.object({
  status: z.string(),
  revoked_keys: z.number().int().nonnegative(),
});
export type PasswordResetBody = z.infer<typeof PasswordResetBody>;
export const EmailConfirmation = z.object({ token: Token });
export const PasswordChange = z.object({ current_password: SentPassword.optional(), password: NewPassword });
/** Closing is for good; the password is asked again, or for those without one their email address. */
export const AccountClosing = z.object({ confirmation: z.string().min(1).max(256) });

const TRANSCRIPT_DAYS_RULE = 'must be a whole number from 1 to 3650, or null';

export const AccountChange = z
  .object({
    name: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(200, 'must have at most 200 characters')
      .nullable(),
    audio_retention_days: z
      .number('must be a whole number from 1 to 365')
      .int('must be a whole number from 1 to 365')
      .min(1, 'must be a whole number from 1 to 365')
      .max(365, 'must be a whole number from 1 to 365'),
    transcript_retention_days: z
      .number(TRANSCRIPT_DAYS_RULE)
      .int(TRANSCRIPT_DAYS_RULE)
      .min(1, TRANSCRIPT_DAYS_RULE)
      .max(3650, TRANSCRIPT_DAYS_RULE)
      .nullable(),
    /** AUD, up to two decimals, as text. */
    low_balance_notice_aud: z
      .string('must be an amount in AUD such as 5 or 12.50')
      .regex(/^\d{1,6}(\.\d{1,2})?$/, 'must be an amount in AUD such as 5 or 12.50')
      .nullable(),
  })
  .partial();
export type AccountChange = z.infer<typeof AccountChange>;

/** What was done on an account, by whom and from where. */
export const AuditEntry = z.object({
  id: z.uuid(),
  at: Timestamp,
  /** Such as `signed_in`, `key_created`, `password_changed`. */
  action: z.string(),
  actor: z.enum(['holder', 'operator', 'system']),
  /** The client's address, where there was a client. */
  address: z.string().nullable(),
  /** More of it, in a few words: the name of a key, say. Never a secret. */
  detail: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
/** Newest first; `next_before` is the `before` of the following page, null on the last. */
export const AuditLog = z.object({ entries: z.array(AuditEntry), next_before: z.uuid().nullable() });
export type AuditLog = z.infer<typeof AuditLog>;

/** A key as it may be shown again: never the key itself. */
export const ApiKeyBody = z.object({
  id: z.uuid(),
  name: z.string(),
  mode: KeyMode,
  prefix: z.string(),
  last_four: z.string(),
  created_at: Timestamp,
  /** To the minute. */
  last_used_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
});
export type ApiKeyBody = z.infer<typeof ApiKeyBody>;
export const ApiKeyList = z.object({ keys: z.array(ApiKeyBody), maximum_unrevoked: z.number().int() });
export type ApiKeyList = z.infer<typeof ApiKeyList>;
export const NewApiKey = z.object({
  name: z
    .string('must be a text')
    .trim()
    .min(1, 'must not be empty')
    .max(100, 'must have at most 100 characters'),
  mode: z.enum(['live', 'test'], 'must be live or test').default('live'),
});
/** The only time that a key is shown whole. */
export const CreatedApiKey = ApiKeyBody.extend({ api_key: z.string() });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;
