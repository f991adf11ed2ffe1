import type { SqlMigration } from '@currawong/database';

/** Over the tables that may be large, which can be read and written while these are built. */
export const indexes0011: SqlMigration = {
  name: 'Indexes1763700000011',
  indexes: {
    // The backlog passes completed jobs by, but for these.
    work_items_rediarized: `ON work_items (job_id) WHERE stage = 'rediarize' AND state IN ('queued', 'running')`,
    // How fast recognition has been of late.
    work_items_recognized: `ON work_items (finished_at) WHERE state = 'done' AND stage IN ('whole', 'recognize')`,
    // The next work of each account, for each of the two duties.
    work_items_waiting_speech: `ON work_items (account_id, created_at, id)
      WHERE state = 'queued' AND release_after IS NOT NULL AND stage IN ('whole', 'recognize')`,
    work_items_waiting_audio: `ON work_items (account_id, created_at, id)
      WHERE state = 'queued' AND release_after IS NOT NULL AND stage IN ('prepare', 'assemble', 'rediarize')`,
    // What workers have, or are about to have: at most a window of it.
    work_items_released: `ON work_items (state, lease_expires_at)
      WHERE state IN ('queued', 'running') AND (state = 'running' OR release_after IS NULL)`,
    // Ends of jobs of which it is not known that they are announced.
    jobs_to_announce: `ON jobs (announce_at) WHERE state IN ('completed', 'failed') AND announce_at IS NOT NULL`,
    // For the retention of transcripts: the oldest of an account.
    jobs_kept: `ON jobs (account_id, completed_at) WHERE deleted_at IS NULL AND completed_at IS NOT NULL`,
    // How many jobs an account has that have not ended; also its open uploads.
    jobs_unfinished_of_account: `ON jobs (account_id) WHERE state NOT IN ('completed', 'failed')`,
    // Uploads to the store that were cancelled: they count as open ones while their addresses are good.
    jobs_cancelled_uploads: `ON jobs (account_id, created_at) WHERE declared_bytes IS NOT NULL AND held_seconds = 0`,
    // Discarded jobs whose objects are there, or may be stored late; the rows stay for a day.
    jobs_to_undo: `ON jobs (changed_at)
      WHERE state = 'discarded' AND (cleared_at IS NULL OR cleared_at - changed_at < interval '600 seconds')`,
  },
};
