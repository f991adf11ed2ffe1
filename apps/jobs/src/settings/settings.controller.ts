import { accept, SetAudioRetention, type PayloadOf, type ReplyOf, type Result } from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';

/** What an account has chosen about its jobs. */
@Controller()
export class SettingsController {
  constructor(private readonly source: DataSource) {}

  /** Holds at once for jobs that end from now on; the sweep brings it to those that have ended. */
  @Answers(SetAudioRetention)
  async setAudioRetention({
    account_id,
    days,
  }: PayloadOf<typeof SetAudioRetention>): Promise<Result<ReplyOf<typeof SetAudioRetention>>> {
    await this.source.query(
      `INSERT INTO account_settings AS s (account_id, audio_retention_days) VALUES ($1, $2)
       ON CONFLICT (account_id) DO UPDATE
         SET audio_retention_days = excluded.audio_retention_days, revision = s.revision + 1, is_applied = false`,
      [account_id, days],
    );
    return accept({});
  }
}
