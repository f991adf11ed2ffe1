import { accept, refuse, type Result } from '@currawong/contracts';
import { Injectable, Logger } from '@nestjs/common';
import { Journal } from '../storage/journal';
import { paymentEvents, topUpsChanged } from '../storage/metrics';
import type { Page } from '../storage/page';
import type { TopUp } from '../storage/top-ups';
import { bookCredit } from './credit-booking';
import { type SessionReport, settle, type Settling } from './settling';

/** Takes what is heard about a top-up into the books: the change of its state and the booking commit together. */
@Injectable()
export class Payments {
  private readonly log = new Logger(Payments.name);

  constructor(private readonly journal: Journal) {}

  /** @returns false where there is no such top-up */
  async take(topUpId: string, report: SessionReport): Promise<boolean> {
    const reference = `stripe:${report.sessionId}`;
    const needs = { topUpIds: [topUpId], credits: [{ kind: 'top_up', reference } as const] };
    const decided = await this.journal.book(needs, (page) => {
      const topUp = page.topUp(topUpId);
      return topUp ? accept(decide(page, topUp, report, reference)) : refuse('not_found');
    });
    if (!decided.ok) return false;
    this.tell(topUpId, decided.value);
    return true;
  }

  private tell(topUpId: string, settling: Settling): void {
    paymentEvents.inc({ result: settling.result });
    if (settling.result === 'mismatch') {
      this.log.error(`top-up ${topUpId} was paid for but not booked: ${settling.problem}`);
      if (settling.topUp) topUpsChanged.inc({ state: settling.topUp.state });
    } else if (settling.result === 'paid' || settling.result === 'changed') {
      topUpsChanged.inc({ state: settling.topUp.state });
    }
  }
}

function decide(page: Page, topUp: TopUp, report: SessionReport, reference: string): Settling {
  const settling = settle(topUp, report);
  if (settling.result === 'paid') {
    const booked = bookPayment(page, settling.topUp, reference);
    // Somebody booked it by hand under the payment's reference: booking it again may be twice.
    if (!booked.ok) return settledByHand(page, topUp, report, reference);
  }
  if ('topUp' in settling && settling.topUp) page.changeTopUp(settling.topUp);
  return settling;
}

function settledByHand(page: Page, topUp: TopUp, { sessionId }: SessionReport, reference: string): Settling {
  const problem = `something else was booked under ${reference} before`;
  const failed = { ...topUp, state: 'failed' as const, sessionId, checkoutUrl: null, problem };
  page.changeTopUp(failed);
  return { result: 'mismatch', topUp: failed, problem };
}

function bookPayment(page: Page, topUp: TopUp, reference: string): Result<unknown> {
  return bookCredit(page, {
    account_id: topUp.accountId,
    amount_micro_aud: Number(topUp.amountMicroAud),
    kind: 'top_up',
    reason: 'Paid by card',
    reference,
  });
}
