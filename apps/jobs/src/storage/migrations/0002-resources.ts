import type { SqlMigration } from '@currawong/database';

export const resources0002: SqlMigration = {
  name: 'Resources1763700000002',
  sql: `
  ALTER TABLE jobs
    -- The key that it was submitted with: usage is shown by key. Null for the dashboard, and for older jobs.
    ADD COLUMN key_id           uuid,
    -- Names that the customer gave to voices; the texts keep their numbers.
    ADD COLUMN speaker_names    jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(speaker_names) = 'object'),
    -- What a test job takes from the allowance of the Sydney day on which it was accepted.
    ADD COLUMN test_seconds     integer CHECK (test_seconds >= 0),
    ADD COLUMN test_day         date,
    -- When the recording is to be erased: set as the job ends, so that the sweep need look at nothing but what is due.
    ADD COLUMN audio_expires_at timestamptz,
    ADD COLUMN audio_erased_at  timestamptz,
    -- When billing was found to have charged an ended job as the job says. Both are final, so once is enough for most.
    ADD COLUMN reconciled_at    timestamptz,
    ADD CONSTRAINT test_seconds_have_day CHECK ((test_seconds IS NULL) = (test_day IS NULL)),
    ADD CONSTRAINT test_seconds_mean_test CHECK (test_seconds IS NULL OR mode = 'test');

  UPDATE jobs SET audio_expires_at = completed_at + interval '30 days' WHERE completed_at IS NOT NULL;

  CREATE INDEX jobs_test_use ON jobs (account_id, test_day) WHERE test_day IS NOT NULL;
  CREATE INDEX jobs_audio_due ON jobs (audio_expires_at) WHERE audio_erased_at IS NULL;
  -- For an account that changes its retention: the recordings that it has.
  CREATE INDEX jobs_audio_of_account ON jobs (account_id, id) WHERE audio_erased_at IS NULL;
  CREATE INDEX jobs_unreconciled ON jobs (id) WHERE reconciled_at IS NULL AND mode = 'live';

  -- Accounts that have chosen something; the others have what a new account has.
  CREATE TABLE account_settings (
    account_id            uuid PRIMARY KEY,
    audio_retention_days  integer NOT NULL CHECK (audio_retention_days BETWEEN 1 AND 365),
    -- Raised by every change, so that what is written into the jobs of before is known to be the newest.
    revision              integer NOT NULL DEFAULT 1,
    -- False until the jobs that had ended before have their new date as well.
    is_applied            boolean NOT NULL DEFAULT false
  );
  CREATE INDEX account_settings_unapplied ON account_settings (account_id) WHERE NOT is_applied;
  `,
};
