import { OUTBOX_TABLE_SQL, type SqlMigration } from '@currawong/database';

export const jobs0001: SqlMigration = {
  name: 'Jobs1763700000001',
  sql: `
  CREATE TABLE jobs (
    id                uuid PRIMARY KEY,                 -- v7: sorts by time
    account_id        uuid NOT NULL,
    mode              text NOT NULL CHECK (mode IN ('live', 'test')),
    state             text NOT NULL CHECK (state IN
                        ('uploading', 'pending', 'processing', 'settling', 'completed', 'failed', 'discarded')),
    original_filename text NOT NULL,
    source_key        text NOT NULL,
    language          text NOT NULL DEFAULT 'en',
    num_speakers      integer CHECK (num_speakers BETWEEN 1 AND 10),
    prompt            text NOT NULL DEFAULT '',
    size_bytes        bigint,
    held_seconds      integer,
    upload_expires_at timestamptz,
    duration_seconds  double precision,
    chunks            integer,
    outcome           text CHECK (outcome IN ('completed', 'failed')),
    result_key        text,
    error_message     text,
    cost_micro_aud    bigint,
    created_at        timestamptz NOT NULL DEFAULT now(),
    changed_at        timestamptz NOT NULL DEFAULT now(),
    completed_at      timestamptz,
    -- When the objects that are not to stay were deleted.
    cleared_at        timestamptz,
    -- A terminal state has its time, and only a terminal state has one; the same for what an outcome implies.
    CONSTRAINT completed_at_means_terminal CHECK ((state IN ('completed', 'failed')) = (completed_at IS NOT NULL)),
    CONSTRAINT outcome_means_decided CHECK ((state IN ('settling', 'completed', 'failed')) = (outcome IS NOT NULL)),
    CONSTRAINT state_is_outcome CHECK (state NOT IN ('completed', 'failed') OR state = outcome),
    CONSTRAINT failed_says_why CHECK ((outcome IS NOT DISTINCT FROM 'failed') = (error_message IS NOT NULL)),
    CONSTRAINT completed_has_result CHECK ((outcome IS NOT DISTINCT FROM 'completed') = (result_key IS NOT NULL)),
    CONSTRAINT accepted_is_sized CHECK (state IN ('uploading', 'discarded') OR (size_bytes IS NOT NULL AND held_seconds IS NOT NULL)),
    CONSTRAINT uploading_has_lease CHECK (state <> 'uploading' OR upload_expires_at IS NOT NULL)
  );
  CREATE INDEX jobs_of_account ON jobs (account_id, mode, id DESC) WHERE state <> 'discarded';
  -- The sweepers look only at jobs that are not at rest.
  CREATE INDEX jobs_unfinished ON jobs (state, changed_at) WHERE state NOT IN ('completed', 'failed');

  CREATE INDEX jobs_uncleared ON jobs (completed_at) WHERE cleared_at IS NULL AND completed_at IS NOT NULL;

  CREATE TABLE work_items (
    id                uuid PRIMARY KEY,
    job_id            uuid NOT NULL REFERENCES jobs ON DELETE CASCADE,
    stage             text NOT NULL CHECK (stage IN ('whole', 'prepare', 'recognize', 'assemble')),
    chunk_index       integer NOT NULL DEFAULT 0,
    chunk             jsonb,
    state             text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'dropped')),
    -- The fence: raised whenever the work is sent again, so that whoever held an older attempt is ignored.
    attempt           integer NOT NULL DEFAULT 1,
    failures          integer NOT NULL DEFAULT 0,
    resends           integer NOT NULL DEFAULT 0,
    -- Queued: when the message counts as lost. Running: when the worker does.
    lease_expires_at  timestamptz NOT NULL,
    worker            text,
    fraction          real NOT NULL DEFAULT 0,
    last_error        text,
    created_at        timestamptz NOT NULL DEFAULT now(),
    started_at        timestamptz,
    finished_at       timestamptz,
    CONSTRAINT one_item_per_piece UNIQUE (job_id, stage, chunk_index),
    CONSTRAINT recognize_has_chunk CHECK ((stage = 'recognize') = (chunk IS NOT NULL)),
    CONSTRAINT running_has_worker CHECK (state <> 'running' OR worker IS NOT NULL)
  );
  CREATE INDEX work_items_by_lease ON work_items (lease_expires_at) WHERE state IN ('queued', 'running');

  ${OUTBOX_TABLE_SQL}
  `,
};
