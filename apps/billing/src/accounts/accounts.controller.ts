import {
  accept,
  type AccountSummary,
  CheckCredit,
  GetAccountSummary,
  OpenAccount,
  type PayloadOf,
  refuse,
  type Result,
  SetLowBalanceNotice,
} from '@currawong/contracts';
import { DataSource, row } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { openingPostings } from '../ledger/credit';
import { CurrentTerms } from '../holds/terms';
import { checkCredit } from '../ledger/holds';
import { Journal } from '../storage/journal';
import { Summaries } from './summaries';

/** A customer account's books: opened once, summed up whenever somebody asks. */
@Controller()
export class AccountsController {
  constructor(
    private readonly journal: Journal,
    private readonly summaries: Summaries,
    private readonly terms: CurrentTerms,
    private readonly source: DataSource,
  ) {}

  @Answers(OpenAccount)
  async open({ account_id, free_seconds }: PayloadOf<typeof OpenAccount>): Promise<Result<AccountSummary>> {
    const opened = await this.journal.book({ accountIds: [account_id] }, (page) => {
      if (!page.books(account_id)) {
        const postings = openingPostings(BigInt(free_seconds));
        page.open(account_id);
        page.book({ kind: 'open_account', reference: account_id, accountId: account_id, postings });
      }
      return accept(undefined);
    });
    return opened.ok ? this.summaries.of(account_id) : opened;
  }

  @Answers(GetAccountSummary)
  summary({ account_id }: PayloadOf<typeof GetAccountSummary>): Promise<Result<AccountSummary>> {
    return this.summaries.of(account_id);
  }

  @Answers(CheckCredit)
  async checkCredit({ account_id }: PayloadOf<typeof CheckCredit>): Promise<Result<Nothing>> {
    const summary = await this.summaries.of(account_id);
    if (!summary.ok) return summary;
    const { available_micro_aud, free_seconds_available } = summary.value;
    const available = { microAud: BigInt(available_micro_aud), freeSeconds: BigInt(free_seconds_available) };
    return checkCredit(available, this.terms.of('transcription'));
  }

  /**
   * Waits for the balance's lock, so that each booking has one threshold from its beginning to its end. An older choice
   * than the one that is there is ignored.
   */
  @Answers(SetLowBalanceNotice)
  async setLowBalanceNotice(wanted: PayloadOf<typeof SetLowBalanceNotice>): Promise<Result<Nothing>> {
    const changed = await row(
      this.source,
      `UPDATE balances
          SET low_balance_threshold_micro_aud = CASE
                WHEN $3::bigint IS NULL OR $3 > low_balance_revision THEN $2 ELSE low_balance_threshold_micro_aud END,
              low_balance_revision = greatest($3, low_balance_revision)
        WHERE account_id = $1 RETURNING account_id`,
      [wanted.account_id, wanted.threshold_micro_aud, wanted.revision ?? null],
    );
    return changed ? accept({}) : refuse('account_not_found');
  }
}

type Nothing = Record<string, never>;
