import type { SqlMigration } from '@currawong/database';

/** Until now accounts had keys alone, made by the operator; from here on their holders sign in themselves. */
export const people0002: SqlMigration = {
  name: 'People1763700000002',
  sql: `
  ALTER TABLE accounts
    ADD COLUMN name                         text CHECK (length(name) BETWEEN 1 AND 200),
    -- Argon2id as a PHC string. Null: the holder comes in through an identity provider, or has never had a password.
    ADD COLUMN password_hash                text CHECK (password_hash LIKE '$argon2id$%'),
    ADD COLUMN email_confirmed_at           timestamptz,
    ADD COLUMN audio_retention_days         integer NOT NULL DEFAULT 30 CHECK (audio_retention_days BETWEEN 1 AND 365),
    -- Null: no message however low the balance is.
    ADD COLUMN low_balance_notice_micro_aud bigint DEFAULT 2000000 CHECK (low_balance_notice_micro_aud > 0);

  -- To the minute: enough to see which key is still in use, and cheap enough to be written for every request.
  ALTER TABLE api_keys ADD COLUMN last_used_at timestamptz;

  -- Someone signed in on the dashboard. A session that ends loses its row; the audit log remembers it.
  CREATE TABLE sessions (
    id            uuid PRIMARY KEY,
    account_id    uuid NOT NULL REFERENCES accounts,
    -- SHA-256 of the cookie's token, which has 256 random bits: whoever reads this table cannot sign in with it.
    token_hash    bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    csrf_token    text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    last_used_at  timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX sessions_of_account ON sessions (account_id);

  -- What an identity provider calls an account of ours.
  CREATE TABLE identities (
    issuer      text NOT NULL,
    subject     text NOT NULL,
    account_id  uuid NOT NULL REFERENCES accounts,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject)
  );
  CREATE INDEX identities_of_account ON identities (account_id);

  -- Someone on their way to the identity provider and back: what must still be true when they return.
  CREATE TABLE oidc_attempts (
    -- SHA-256 of a token in the browser's cookie: an answer counts only in the browser that asked.
    token_hash     bytea PRIMARY KEY CHECK (length(token_hash) = 32),
    state          text NOT NULL,
    nonce          text NOT NULL,
    code_verifier  text NOT NULL,
    expires_at     timestamptz NOT NULL
  );

  -- The tokens of links in mails; each works once, and its row goes with that.
  CREATE TABLE mail_tokens (
    token_hash  bytea PRIMARY KEY CHECK (length(token_hash) = 32),
    account_id  uuid NOT NULL REFERENCES accounts,
    purpose     text NOT NULL CHECK (purpose IN ('confirm_email', 'reset_password')),
    expires_at  timestamptz NOT NULL
  );
  CREATE INDEX mail_tokens_of_account ON mail_tokens (account_id, purpose);

  -- Mails are written with the change that causes them and sent after its commit.
  CREATE TABLE outgoing_mails (
    id               uuid PRIMARY KEY,
    account_id       uuid NOT NULL REFERENCES accounts,
    kind             text NOT NULL,
    -- What causes a mail may be told twice; the mail is written once.
    cause            text UNIQUE,
    recipient        text NOT NULL,
    subject          text NOT NULL,
    -- Erased once sent or given up: links in it are secrets.
    body             text,
    created_at       timestamptz NOT NULL DEFAULT now(),
    attempts         integer NOT NULL DEFAULT 0,
    next_attempt_at  timestamptz NOT NULL DEFAULT now(),
    sent_at          timestamptz,
    given_up_at      timestamptz,
    CONSTRAINT a_mail_ends_once CHECK (sent_at IS NULL OR given_up_at IS NULL),
    CONSTRAINT a_body_until_the_end CHECK ((body IS NULL) = (sent_at IS NOT NULL OR given_up_at IS NOT NULL))
  );
  CREATE INDEX mails_to_send ON outgoing_mails (next_attempt_at) WHERE body IS NOT NULL;

  -- What was done on an account, by whom and from where. Append-only, without secrets.
  CREATE TABLE audit_log (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts,
    at          timestamptz NOT NULL DEFAULT now(),
    action      text NOT NULL,
    actor       text NOT NULL CHECK (actor IN ('holder', 'operator', 'system')),
    address     text,
    detail      text
  );
  CREATE INDEX audit_log_of_account ON audit_log (account_id, id DESC);

  -- Accounts whose settings billing and jobs have not been told yet. The account's own row says what they are.
  CREATE TABLE settings_to_tell (
    account_id       uuid PRIMARY KEY REFERENCES accounts,
    next_attempt_at  timestamptz NOT NULL DEFAULT now()
  );
  -- Those that exist already have the defaults from now on.
  INSERT INTO settings_to_tell (account_id) SELECT id FROM accounts;
  `,
};
