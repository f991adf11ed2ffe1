import {
  accept,
  ListTopUps,
  type PayloadOf,
  refuse,
  type ReplyOf,
  type Result,
  StartTopUp,
  TakePaymentEvent,
  type TopUpBody,
  type TopUpList,
} from '@currawong/contracts';
import { DataSource, row } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { Controller, Logger } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { centsAud } from '../ledger/amounts';
import { paymentEvents, topUpsChanged } from '../storage/metrics';
import { type ShownTopUp, TopUps } from '../storage/top-ups';
import { Payments } from './payments';
import { TopUpTerms } from './terms';

/** Customers who pay by card: the page they pay on, and what the payment provider tells about it. */
@Controller()
export class TopUpsController {
  private readonly log = new Logger(TopUpsController.name);

  constructor(
    private readonly source: DataSource,
    private readonly topUps: TopUps,
    private readonly payments: Payments,
    private readonly terms: TopUpTerms,
  ) {}

  @Answers(StartTopUp)
  async start(wanted: PayloadOf<typeof StartTopUp>): Promise<Result<TopUpBody>> {
    const { account_id: accountId, email, return_url } = wanted;
    if (!this.terms.provider) return refuse('payments_unavailable');
    const amountMicroAud = BigInt(wanted.amount_micro_aud);
    const allowed = this.terms.check(amountMicroAud);
    if (!allowed.ok) return allowed;
    const account = await row(this.source, 'SELECT FROM balances WHERE account_id = $1', [accountId]);
    if (!account) return refuse('account_not_found');

    // The row comes first: whatever happens from here on, a payment finds its top-up.
    const topUpId = uuidv7();
    await this.topUps.insert(topUpId, accountId, amountMicroAud);
    const returnUrl = new URL(return_url);
    returnUrl.searchParams.set('top-up', topUpId);
    const amountCents = Number(amountMicroAud / 10_000n);
    const request = { topUpId, accountId, email, amountCents, returnUrl: returnUrl.href };
    let page: { sessionId: string; url: string };
    try {
      page = await this.terms.provider.openPage(request);
    } catch (error) {
      this.log.error(`top-up ${topUpId}: the payment provider opened no page: ${String(error)}`);
      await this.topUps.giveUp(topUpId, 'the payment provider opened no page');
      topUpsChanged.inc({ state: 'failed' });
      return refuse(
        'unavailable',
        'The payment page could not be opened and nothing was charged. Try again in a moment.',
      );
    }
    const opened = await this.topUps.open(topUpId, page.sessionId, page.url);
    topUpsChanged.inc({ state: 'open' });
    return accept(asBody(opened));
  }

  @Answers(ListTopUps)
  async list({ account_id }: PayloadOf<typeof ListTopUps>): Promise<Result<TopUpList>> {
    const topUps = await this.topUps.newest(account_id);
    return accept({
      available: this.terms.provider !== undefined,
      minimum_aud: centsAud(this.terms.minimumCents),
      maximum_aud: centsAud(this.terms.maximumCents),
      top_ups: topUps.map(asBody),
    });
  }

  @Answers(TakePaymentEvent)
  async take({ body_base64, signature }: PayloadOf<typeof TakePaymentEvent>): Promise<Result<Taken>> {
    if (!this.terms.provider) return refuse('payments_unavailable');
    const event = this.terms.provider.read(Buffer.from(body_base64, 'base64'), signature);
    switch (event?.about) {
      case undefined:
        paymentEvents.inc({ result: 'refused' });
        return refuse('invalid_parameter', 'stripe-signature: the signature is wrong or too old');
      case 'session': {
        const topUpId = event.topUpId ?? (await this.topUps.idOfSession(event.report.sessionId));
        const handled = topUpId !== undefined && (await this.payments.take(topUpId, event.report));
        if (!handled) {
          this.log.warn(`session ${event.report.sessionId} belongs to no top-up of ours`);
          paymentEvents.inc({ result: 'unknown' });
        }
        return accept({ handled });
      }
      case 'refund':
      case 'dispute':
        // Whether credit is to be taken back is for a person to decide; see the README.
        this.log.warn(`the payment provider reports a ${event.about}: ${JSON.stringify(event.named)}`);
        paymentEvents.inc({ result: event.about });
        return accept({ handled: true });
      case 'other':
        paymentEvents.inc({ result: 'other' });
        return accept({ handled: false });
    }
  }
}

type Taken = ReplyOf<typeof TakePaymentEvent>;

function asBody(topUp: ShownTopUp): TopUpBody {
  return {
    id: topUp.id,
    amount_aud: centsAud(BigInt(topUp.amount_micro_aud) / 10_000n),
    // A page was opened for it, so it is beyond its start for the customer.
    state: topUp.state === 'starting' ? 'open' : topUp.state,
    created_at: topUp.created_at.toISOString(),
    paid_at: topUp.paid_at?.toISOString() ?? null,
    checkout_url: topUp.checkout_url,
  };
}
