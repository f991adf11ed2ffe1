import { DataSource, row, rows } from '@currawong/database';
import { ObjectStore } from '@currawong/object-store';
import { Injectable, Logger } from '@nestjs/common';
import { RETENTION_DAYS } from '../storage/job-records';
import { forEveryRow } from './every-row';

const PAGE = 1000;
const IS_DUE = 'audio_expires_at < now() AND audio_erased_at IS NULL';
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface ChangedSettings {
  id: string;
  audio_retention_days: number;
  revision: number;
}

/**
 * Recordings whose time is over are erased; what was said in them stays. What was noted of their voices goes with them:
 * a person can be known again by it, which makes it personal data as much as the sound itself.
 */
@Injectable()
export class ExpiredAudio {
  private readonly log = new Logger(ExpiredAudio.name);

  constructor(
    private readonly source: DataSource,
    private readonly store: ObjectStore,
  ) {}

  async sweepDue(): Promise<void> {
    await this.dateEnded();
    await forEveryRow(
      (afterId, limit) =>
        rows<{ id: string }>(
          this.source,
          `SELECT id FROM jobs WHERE ${IS_DUE} AND id > $1 ORDER BY id LIMIT $2`,
          [afterId, limit],
        ),
      ({ id }) => this.erase(id),
      ({ id }, error) => this.log.warn(`the recording of job ${id} is not erased yet: ${String(error)}`),
    );
  }

  private async erase(id: string): Promise<void> {
    // Once more: the retention may have become longer since the page was read.
    const due = await row<{ source_key: string; voices_key: string | null }>(
      this.source,
      `SELECT source_key, voices_key FROM jobs WHERE ${IS_DUE} AND id = $1`,
      [id],
    );
    if (!due) return;
    // The objects first: a crash in between is mended by doing it again.
    await this.store.deletePrefix(due.source_key);
    if (due.voices_key !== null) await this.store.deletePrefix(due.voices_key);
    await this.source.query(
      'UPDATE jobs SET audio_erased_at = now() WHERE id = $1 AND audio_erased_at IS NULL',
      [id],
    );
  }

  /**
   * Jobs that ended without a date: while an upgrade goes round, processes of before it end some. A changed retention that
   * is being applied meanwhile wins: it gives every ended job its date, and this changes none that has one.
   */
  private async dateEnded(): Promise<void> {
    await this.source.query(
      `UPDATE jobs SET audio_expires_at = completed_at + make_interval(days => ${RETENTION_DAYS})
        WHERE completed_at IS NOT NULL AND audio_expires_at IS NULL AND audio_erased_at IS NULL`,
    );
  }

  /** Gives the jobs that had ended when an account changed its retention their new date. */
  sweepChanged(): Promise<void> {
    return forEveryRow(
      (afterId, limit) =>
        rows<ChangedSettings>(
          this.source,
          `SELECT account_id AS id, audio_retention_days, revision FROM account_settings
            WHERE NOT is_applied AND account_id > $1 ORDER BY account_id LIMIT $2`,
          [afterId, limit],
        ),
      (settings) => this.apply(settings),
      ({ id }, error) => this.log.warn(`the retention of account ${id} is not applied yet: ${String(error)}`),
    );
  }

  /**
   * A job that is being settled may have been given a date by the old setting: it is locked until that is committed, so
   * the update waits for it and sees the date. Whatever is settled later reads the new setting.
   */
  private async apply({ id, audio_retention_days, revision }: ChangedSettings): Promise<void> {
    let afterId = FIRST_ID;
    for (;;) {
      const page = await rows<{ id: string }>(
        this.source,
        `SELECT id FROM jobs WHERE account_id = $1 AND audio_erased_at IS NULL AND id > $2
            AND state IN ('settling', 'completed', 'failed') ORDER BY id LIMIT ${PAGE}`,
        [id, afterId],
      );
      await this.source.query(
        `UPDATE jobs SET audio_expires_at = completed_at + make_interval(days => $2)
          WHERE id = ANY($1) AND audio_erased_at IS NULL`,
        [page.map((job) => job.id), audio_retention_days],
      );
      if (page.length < PAGE) break;
      afterId = page.at(-1)!.id;
    }
    await this.source.query(
      'UPDATE account_settings SET is_applied = true WHERE account_id = $1 AND revision = $2',
      [id, revision],
    );
  }
}
