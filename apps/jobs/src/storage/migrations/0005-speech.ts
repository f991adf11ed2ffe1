import type { SqlMigration } from '@currawong/database';

export const speech0005: SqlMigration = {
  name: 'Speech1763700000005',
  sql: `
  ALTER TABLE jobs
    -- What was asked for beyond words and speakers.
    ADD COLUMN analysis                 text,
    -- What was noted of the voices, beside the result; erased with the recording. Null for jobs of before.
    ADD COLUMN voices_key               text,
    -- The piece of work that tells the speakers of a completed job apart anew; one at a time.
    ADD COLUMN diarization_item_id      uuid,
    -- As how many; null where that is to be found.
    ADD COLUMN diarization_num_speakers integer,
    -- Why that failed last; the result of before stays.
    ADD COLUMN diarization_error        text,
    -- Not valid: every row of before is known to satisfy them, so the table need not be read while it is locked. Rows
    -- that are written from now on are checked all the same.
    ADD CONSTRAINT jobs_analysis_check CHECK (analysis IN ('sentiment')) NOT VALID,
    ADD CONSTRAINT jobs_diarization_num_speakers_check CHECK (diarization_num_speakers BETWEEN 1 AND 10) NOT VALID,
    ADD CONSTRAINT rediarized_is_completed
      CHECK (diarization_item_id IS NULL OR (state = 'completed' AND voices_key IS NOT NULL)) NOT VALID;

  ALTER TABLE work_items DROP CONSTRAINT work_items_stage_check;
  ALTER TABLE work_items ADD CONSTRAINT work_items_stage_check
    CHECK (stage IN ('whole', 'prepare', 'recognize', 'assemble', 'rediarize')) NOT VALID;

  -- Workers with an engine, as they announced themselves. Nothing is lost with it that is not said again within moments.
  CREATE TABLE workers (
    worker           text PRIMARY KEY,
    engine           text NOT NULL,
    version          text NOT NULL,
    model            text,
    languages        text[] NOT NULL,
    detects_language boolean NOT NULL,
    slots            integer NOT NULL CHECK (slots > 0),
    heard_at         timestamptz NOT NULL DEFAULT now()
  );
  `,
};
