import type { SqlMigration } from '@currawong/database';

export const fairDispatch0010: SqlMigration = {
  name: 'FairDispatch1763700000010',
  sql: `
  ALTER TABLE work_items
    -- Queued work that is not released to the stream yet, and not to be before this; null for work whose message was
    -- sent. A release before this one knows nothing of it: it sends what was queued and has not been claimed when its
    -- lease runs out, so nothing stays waiting after a rollback.
    ADD COLUMN release_after timestamptz,
    -- Whose turn it takes, and how much of one: known of all work that waits.
    ADD COLUMN account_id    uuid,
    ADD COLUMN audio_seconds double precision,
    ADD CONSTRAINT waiting_has_account
      CHECK (release_after IS NULL OR (account_id IS NOT NULL AND audio_seconds IS NOT NULL)) NOT VALID;

  -- Virtual time of each duty, in audio seconds per unit of weight: the turn of the work that was released last.
  CREATE TABLE dispatch_clocks (
    duty         text PRIMARY KEY CHECK (duty IN ('speech', 'audio')),
    virtual_time double precision NOT NULL DEFAULT 0
  );
  INSERT INTO dispatch_clocks (duty) VALUES ('speech'), ('audio');

  -- When the next turn of an account is due, in that time. Means nothing once the clock has passed it, and is deleted.
  CREATE TABLE dispatch_turns (
    account_id uuid NOT NULL,
    duty       text NOT NULL,
    due        double precision NOT NULL,
    PRIMARY KEY (account_id, duty)
  );

  -- What the operator has set for single accounts; null is what holds for all.
  CREATE TABLE account_limits (
    account_id      uuid PRIMARY KEY,
    weight          double precision CHECK (weight > 0),
    concurrency     integer CHECK (concurrency > 0),
    unfinished_jobs integer CHECK (unfinished_jobs > 0)
  );
  `,
};
