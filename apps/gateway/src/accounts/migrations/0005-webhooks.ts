import type { SqlMigration } from '@currawong/database';

/** Where accounts want to be told of the ends of their jobs, and what became of each telling. */
export const webhooks0005: SqlMigration = {
  name: 'Webhooks1763700000005',
  sql: `
  CREATE TABLE webhook_endpoints (
    account_id       uuid PRIMARY KEY REFERENCES accounts,
    -- Null: only jobs that name an address of their own are told of.
    url              text,
    disabled_at      timestamptz,
    disabled_reason  text,
    CONSTRAINT a_reason_where_disabled CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
    CONSTRAINT an_address_where_disabled CHECK (disabled_at IS NULL OR url IS NOT NULL)
  );

  -- Readable, because every attempt is signed with it. Nothing else can be done with one than to sign for its account.
  CREATE TABLE webhook_secrets (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts,
    secret      text NOT NULL CHECK (secret LIKE 'whsec_%'),
    created_at  timestamptz NOT NULL DEFAULT now(),
    -- Of one that was replaced: until then it signs as well.
    expires_at  timestamptz
  );
  CREATE UNIQUE INDEX one_current_webhook_secret ON webhook_secrets (account_id) WHERE expires_at IS NULL;
  CREATE INDEX webhook_secrets_replaced ON webhook_secrets (account_id, expires_at) WHERE expires_at IS NOT NULL;

  -- One message to one address. The id is told as the webhook-id; that of a job's end follows from the job and its
  -- status, so that an end which is told twice is delivered once.
  CREATE TABLE webhook_deliveries (
    id               uuid PRIMARY KEY,
    account_id       uuid NOT NULL REFERENCES accounts,
    mode             text NOT NULL CHECK (mode IN ('live', 'test')),
    type             text NOT NULL,
    job_id           uuid,
    url              text NOT NULL,
    -- Scheme, host and port: receivers are told apart by it.
    origin           text NOT NULL,
    -- Whether it goes where the account's setting says, and follows that when it changes.
    is_default       boolean NOT NULL,
    -- What is sent, byte for byte the same at every attempt.
    body             text NOT NULL,
    state            text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    created_at       timestamptz NOT NULL DEFAULT now(),
    ended_at         timestamptz,
    attempts         integer NOT NULL DEFAULT 0,
    -- How many attempts of the schedule are behind it; replays are none of them.
    scheduled        integer NOT NULL DEFAULT 0,
    -- Whether a failure ends it, as for a replay of one that has ended.
    is_last          boolean NOT NULL DEFAULT false,
    next_attempt_at  timestamptz NOT NULL DEFAULT now(),
    -- Whoever sends it has it alone until then; by the database's clock.
    claimed_until    timestamptz,
    claim_id         uuid,
    last_attempt_at  timestamptz,
    last_status_code integer,
    last_error       text,
    CONSTRAINT a_delivery_ends CHECK ((state = 'pending') = (ended_at IS NULL)),
    CONSTRAINT claimed_by_somebody CHECK ((claimed_until IS NULL) = (claim_id IS NULL)),
    CONSTRAINT claimed_is_pending CHECK (claim_id IS NULL OR state = 'pending')
  );
  CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (account_id, origin, next_attempt_at) WHERE state = 'pending';
  CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (claimed_until) WHERE claim_id IS NOT NULL;
  CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE state = 'pending';
  CREATE INDEX webhook_deliveries_of_account ON webhook_deliveries (account_id, mode, created_at DESC, id DESC);
  CREATE INDEX webhook_deliveries_of_job ON webhook_deliveries (job_id) WHERE job_id IS NOT NULL;
  CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);

  CREATE TABLE webhook_attempts (
    delivery_id  uuid NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
    number       integer NOT NULL CHECK (number > 0),
    at           timestamptz NOT NULL,
    duration_ms  integer NOT NULL CHECK (duration_ms >= 0),
    status_code  integer,
    -- Why there was no answer; null where there was one.
    error        text,
    -- The beginning of the answer's body, without control characters.
    answer       text NOT NULL DEFAULT '',
    PRIMARY KEY (delivery_id, number),
    CONSTRAINT answered_or_not CHECK ((status_code IS NULL) = (error IS NOT NULL))
  );
  `,
};
