import { accept, SetAudioRetention, type PayloadOf, type ReplyOf, type Result } from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';

/** What an account has chosen about its jobs. */
@Controller()
export class SettingsController {
  constructor(private readonly source: DataSource) {}

  /** Holds at once for jobs that end from now on; the sweep brings it to those that have ended. Older choices are ignored. */
  @Answers(SetAudioRetention)
  async setAudioRetention({
    account_id,
    days,
    transcript_days,
    closed_at,
    revision,
  }: PayloadOf<typeof SetAudioRetention>): Promise<Result<ReplyOf<typeof SetAudioRetention>>> {
    await this.source.query(
      `INSERT INTO account_settings AS s
         (account_id, audio_retention_days, chosen_revision, transcript_retention_days, closed_at)
       VALUES ($1, $2, coalesce($3::bigint, 0), $4, $5)
       ON CONFLICT (account_id) DO UPDATE
         SET audio_retention_days = excluded.audio_retention_days, revision = s.revision + 1, is_applied = false,
             -- A gateway of the release before says nothing of them.
             transcript_retention_days = CASE WHEN $6 THEN excluded.transcript_retention_days ELSE s.transcript_retention_days END,
             closed_at = CASE WHEN $7 THEN excluded.closed_at ELSE s.closed_at END,
             chosen_revision = greatest(excluded.chosen_revision, s.chosen_revision)
         WHERE $3::bigint IS NULL OR excluded.chosen_revision > s.chosen_revision`,
      [
        ...[account_id, days, revision ?? null, transcript_days ?? null, closed_at ?? null],
        ...[transcript_days !== undefined, closed_at !== undefined],
      ],
    );
    return accept({});
  }
}
