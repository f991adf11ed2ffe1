import { z } from 'zod';
import { defineNotice, defineRequest } from './define';
import { KeyMode } from './jobs';

export const AccountState = z.enum(['active', 'suspended', 'closed']);
export type AccountState = z.infer<typeof AccountState>;

/** A key as it may be shown again: never the key itself. */
export const KeyView = z.object({
  id: z.uuid(),
  name: z.string(),
  mode: KeyMode,
  prefix: z.string(),
  last_four: z.string(),
  created_at: z.iso.datetime(),
  /** To the minute. */
  last_used_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
});
export type KeyView = z.infer<typeof KeyView>;

/** A key just made: the only time that it is whole. */
const NewKey = z.object({ key_id: z.uuid(), api_key: z.string() });

export const CreateAccount = defineRequest(
  'accounts.create',
  z.object({
    email: z.email(),
    free_seconds: z.number().int().nonnegative(),
    credit_micro_aud: z.number().int().nonnegative(),
    mode: KeyMode,
  }),
  NewKey.extend({ account_id: z.uuid() }),
);

export const SetAccountState = defineRequest(
  'accounts.set_state',
  z.object({ account_id: z.uuid(), state: AccountState }),
  z.object({ account_id: z.uuid(), state: AccountState }),
);

/** The operator sets a password for someone who lost theirs or never had one; every session of theirs ends. */
export const SetPassword = defineRequest(
  'accounts.set_password',
  z.object({ account_id: z.uuid(), password: z.string().min(10).max(256) }),
  z.object({ account_id: z.uuid(), email: z.string() }),
);

export const CreateKey = defineRequest(
  'accounts.create_key',
  z.object({ account_id: z.uuid(), name: z.string().min(1).max(100), mode: KeyMode }),
  NewKey,
);

export const RevokeKey = defineRequest('accounts.revoke_key', z.object({ key_id: z.uuid() }), KeyView);

export const ListKeys = defineRequest(
  'accounts.list_keys',
  z.object({ account_id: z.uuid() }),
  z.object({ keys: z.array(KeyView) }),
);

/** Every gateway forgets what it has cached of this account's keys. */
export const AccountKeysChanged = defineNotice('accounts.keys_changed', z.object({ account_id: z.uuid() }));

/** Every gateway forgets what it has cached of the sessions of this account's holder. */
export const AccountSessionsEnded = defineNotice(
  'accounts.sessions_ended',
  z.object({ account_id: z.uuid() }),
);

/** An account as the operator sees it. */
export const AccountView = z.object({
  account_id: z.uuid(),
  email: z.string(),
  email_confirmed: z.boolean(),
  name: z.string().nullable(),
  state: AccountState,
  created_at: z.iso.datetime(),
  has_password: z.boolean(),
  unrevoked_keys: z.number().int(),
});
export type AccountView = z.infer<typeof AccountView>;

/** By id or by email address. Refuses with `account_not_found`. */
export const ShowAccount = defineRequest(
  'accounts.show',
  z.union([z.object({ account_id: z.uuid() }), z.object({ email: z.string() })]),
  AccountView,
);

/** By id, oldest first, at most 200; the following page begins after `after`. */
export const ListAccounts = defineRequest(
  'accounts.list',
  z.object({ after: z.uuid().nullable() }),
  z.object({ accounts: z.array(AccountView) }),
);

/** Where an account is told of the ends of its jobs, as the operator sees it: with the secret that signs. */
export const WebhookView = z.object({
  account_id: z.uuid(),
  url: z.string().nullable(),
  disabled_at: z.iso.datetime().nullable(),
  disabled_reason: z.string().nullable(),
  secret: z.string(),
});

/** Refuses with `account_not_found`. */
export const ShowWebhook = defineRequest(
  'accounts.show_webhook',
  z.object({ account_id: z.uuid() }),
  WebhookView,
);

/** Refuses with `account_not_found`, and with `invalid_parameter` where the address is not one that may be called. */
export const SetWebhook = defineRequest(
  'accounts.set_webhook',
  z.object({ account_id: z.uuid(), url: z.string().nullable() }),
  WebhookView,
);
