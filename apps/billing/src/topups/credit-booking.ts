import { createHash } from 'node:crypto';
import { accept, type AddCredit, type PayloadOf, refuse, type Result } from '@currawong/contracts';
import { creditPostings } from '../ledger/credit';
import type { Page } from '../storage/page';

export type Credit = PayloadOf<typeof AddCredit>;

/** Books credit once per kind and reference. The page must have been opened with both, and with the account. */
export function bookCredit(page: Page, credit: Credit): Result<{ isNew: boolean }> {
  const { account_id, amount_micro_aud, kind, reason, reference } = credit;
  if (!page.books(account_id)) return refuse('account_not_found');
  const inputHash = hashOf(credit);
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
  return accept({ isNew: !before });
}

/** What makes two credits the same one. Kind and reference are the key under which the hash is looked up. */
function hashOf({ account_id, amount_micro_aud, reason }: Credit): string {
  return createHash('sha256')
    .update(JSON.stringify([account_id, amount_micro_aud, reason]))
    .digest('hex');
}
