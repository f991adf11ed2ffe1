import { SetAudioRetention, SetLowBalanceNotice } from '@currawong/contracts';
import { DataSource, row, type EntityManager } from '@currawong/database';
import { Requester } from '@currawong/messaging';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Rounds } from '../rounds';

/** How long the two questions may take together; well below what a database lock is waited for. */
const DEADLINE_MS = 3_000;
const RETRY_SECONDS = 10;

/**
 * Settings of an account that billing and jobs act on. The account's row says what they are; that the others have not
 * been told yet is written in the same transaction and stays until both have answered, so that a crash, or a service
 * that is down, delays it and no more.
 */
@Injectable()
export class ServiceSettings implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(ServiceSettings.name);
  private readonly rounds = new Rounds(() => this.tellNext());

  constructor(
    private readonly source: DataSource,
    private readonly requester: Requester,
  ) {}

  /** In the transaction that changes them; say `tellSoon` after its commit. */
  async changed(manager: EntityManager, accountId: string): Promise<void> {
    await manager.query(
      `INSERT INTO settings_to_tell (account_id) VALUES ($1)
       ON CONFLICT (account_id) DO UPDATE SET next_attempt_at = now()`,
      [accountId],
    );
  }

  tellSoon(): void {
    this.rounds.startSoon();
  }

  onApplicationBootstrap(): void {
    this.rounds.open();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.rounds.close();
  }

  /**
   * The row stays locked meanwhile: whoever changes the settings again waits, and writes a new row after this one is
   * gone; so what is told last is what was stored last.
   * @returns whether there may be more to tell
   */
  private tellNext(): Promise<boolean> {
    return this.source.transaction(async (manager) => {
      const waiting = await row<{ account_id: string }>(
        manager,
        `SELECT account_id FROM settings_to_tell WHERE next_attempt_at <= now()
          ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
      );
      if (!waiting) return false;
      const accountId = waiting.account_id;
      if (await this.tell(manager, accountId))
        await manager.query('DELETE FROM settings_to_tell WHERE account_id = $1', [accountId]);
      else
        await manager.query(
          `UPDATE settings_to_tell SET next_attempt_at = now() + make_interval(secs => $2) WHERE account_id = $1`,
          [accountId, RETRY_SECONDS],
        );
      return true;
    });
  }

  private async tell(manager: EntityManager, accountId: string): Promise<boolean> {
    const settings = await row<{ days: number; notice: string | null }>(
      manager,
      'SELECT audio_retention_days AS days, low_balance_notice_micro_aud AS notice FROM accounts WHERE id = $1',
      [accountId],
    );
    const { days, notice } = settings!;
    try {
      const answers = await Promise.all([
        this.requester.ask(SetAudioRetention, { account_id: accountId, days }, { deadlineMs: DEADLINE_MS }),
        this.requester.ask(
          SetLowBalanceNotice,
          { account_id: accountId, threshold_micro_aud: notice === null ? null : Number(notice) },
          { deadlineMs: DEADLINE_MS },
        ),
      ]);
      for (const answer of answers) {
        if (!answer.ok)
          this.log.error(`the settings of account ${accountId} were refused: ${answer.refusal.code}`);
      }
      return answers.every((answer) => answer.ok);
    } catch (error) {
      this.log.warn(`the settings of account ${accountId} wait: ${String(error)}`);
      return false;
    }
  }
}
