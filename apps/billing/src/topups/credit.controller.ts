import { createHash } from 'node:crypto';
import {
  accept,
  AddCredit,
  type AccountSummary,
  type PayloadOf,
  refuse,
  type Result,
} from '@currawong/contracts';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { Summaries } from '../accounts/summaries';
import { creditPostings } from '../ledger/credit';
import { Journal } from '../storage/journal';

type Credit = PayloadOf<typeof AddCredit>;

/** Prepaid credit coming in, whoever paid for it. */
@Controller()
export class CreditController {
  constructor(
    private readonly journal: Journal,
    private readonly summaries: Summaries,
  ) {}

  @Answers(AddCredit)
  async add(credit: Credit): Promise<Result<AccountSummary>> {
    const { account_id, amount_micro_aud, kind, reason, reference } = credit;
    const inputHash = hashOf(credit);
    const booked = await this.journal.book(
      { accountIds: [account_id], credits: [{ kind, reference }] },
      (page) => {
        if (!page.books(account_id)) return refuse('account_not_found');
        const before = page.credit(kind, reference);
        if (before && before.inputHash !== inputHash) {
          return refuse(
            'conflict',
            `The reference "${reference}" was used before for something else. Choose another.`,
          );
        }
        if (!before) {
          const postings = creditPostings(kind, BigInt(amount_micro_aud));
          page.book({ kind, reference, accountId: account_id, reason, inputHash, postings });
        }
        return accept(undefined);
      },
    );
    return booked.ok ? this.summaries.of(account_id) : booked;
  }
}

/** What makes two credits the same one. Kind and reference are the key under which the hash is looked up. */
function hashOf({ account_id, amount_micro_aud, reason }: Credit): string {
  return createHash('sha256')
    .update(JSON.stringify([account_id, amount_micro_aud, reason]))
    .digest('hex');
}
