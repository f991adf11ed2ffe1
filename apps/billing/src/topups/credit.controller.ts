import { AddCredit, type AccountSummary, type Result } from '@currawong/contracts';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { Summaries } from '../accounts/summaries';
import { Journal } from '../storage/journal';
import { bookCredit, type Credit } from './credit-booking';

/** Prepaid credit that the operator books, whoever paid for it. */
@Controller()
export class CreditController {
  constructor(
    private readonly journal: Journal,
    private readonly summaries: Summaries,
  ) {}

  @Answers(AddCredit)
  async add(credit: Credit): Promise<Result<AccountSummary>> {
    const { account_id, kind, reference } = credit;
    const booked = await this.journal.book(
      { accountIds: [account_id], credits: [{ kind, reference }] },
      (page) => bookCredit(page, credit),
    );
    return booked.ok ? this.summaries.of(account_id) : booked;
  }
}
