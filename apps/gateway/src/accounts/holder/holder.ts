import { accept, refuse, type AccountBody, type AccountChange, type Result } from '@currawong/contracts';
import { DataSource, row } from '@currawong/database';
import { Injectable } from '@nestjs/common';
import { microAudOf } from '../../credit/aud';
import { asAccountBody, type AccountRecord } from '../account-record';
import { Accounts } from '../accounts';
import { audit, holderAt } from '../audit/audit-log';
import { Passwords } from '../passwords/passwords';
import { ServiceSettings } from '../settings/service-settings';

/** What holders do with their own accounts. */
@Injectable()
export class Holder {
  constructor(
    private readonly source: DataSource,
    private readonly accounts: Accounts,
    private readonly passwords: Passwords,
    private readonly settings: ServiceSettings,
  ) {}

  /** What is left out of the change stays as it is. */
  async change(accountId: string, change: AccountChange, address: string): Promise<Result<AccountBody>> {
    const notice = noticeOf(change);
    if (notice === 0)
      return refuse(
        'invalid_parameter',
        'low_balance_notice_aud: must be more than 0; null switches the messages off',
      );
    const changed = await this.source.transaction(async (manager): Promise<Result<AccountBody>> => {
      const before = await this.accounts.lock(manager, accountId);
      const audioDays = change.audio_retention_days ?? before!.audio_retention_days;
      const transcriptDays =
        change.transcript_retention_days === undefined
          ? before!.transcript_retention_days
          : change.transcript_retention_days;
      // The recording goes with its transcript: that it goes earlier than the account says is to be said.
      if (transcriptDays !== null && transcriptDays < audioDays)
        return refuse(
          'invalid_parameter',
          `transcript_retention_days: must not be less than audio_retention_days, which is ${audioDays}: a recording is erased with its transcript`,
        );
      const after = await row<AccountRecord>(
        manager,
        `UPDATE accounts SET name = $2, audio_retention_days = $3, low_balance_notice_micro_aud = $4,
                             transcript_retention_days = $5
          WHERE id = $1 RETURNING *`,
        [
          accountId,
          change.name === undefined ? before!.name : change.name,
          audioDays,
          notice === undefined ? before!.low_balance_notice_micro_aud : notice,
          transcriptDays,
        ],
      );
      const differences = differencesBetween(asAccountBody(before!), asAccountBody(after!));
      if (differences.length > 0) {
        await audit(manager, accountId, 'account_changed', holderAt(address), differences.join(', '));
        await this.settings.changed(manager, accountId);
      }
      return accept(asAccountBody(after!));
    });
    if (changed.ok) this.settings.tellSoon();
    return changed;
  }

  /** @param confirmation the password; of an account without one, its email address */
  async close(accountId: string, confirmation: string, address: string): Promise<Result<null>> {
    const account = (await this.accounts.find(accountId))!;
    if (account.password_hash === null) {
      if (confirmation.trim().toLowerCase() !== account.email)
        return refuse('invalid_parameter', 'confirmation: is not the email address of this account');
    } else if (!(await this.passwords.isRight(account, confirmation)))
      return refuse('invalid_parameter', 'confirmation: is not your password');
    await this.source.transaction((manager) => this.accounts.close(manager, accountId, holderAt(address)));
    this.accounts.forgetEverywhere(accountId);
    this.settings.tellSoon();
    return accept(null);
  }
}

/** In micro-AUD; null for none, undefined where it stays as it is. */
function noticeOf({ low_balance_notice_aud: amount }: AccountChange): number | null | undefined {
  return amount === undefined || amount === null ? amount : microAudOf(amount);
}

/** Such as `audio_retention_days: 30 → 7`. */
function differencesBetween(before: AccountBody, after: AccountBody): string[] {
  return (['name', 'audio_retention_days', 'transcript_retention_days', 'low_balance_notice_aud'] as const)
    .filter((field) => before[field] !== after[field])
    .map((field) => `${field}: ${before[field] ?? 'none'} → ${after[field] ?? 'none'}`);
}
