import Stripe from 'stripe';
import { z } from 'zod';
import type { SessionReport } from './settling';

export interface StripeSettings {
  secretKey: string;
  webhookSecret: string;
  /** `https://api.stripe.com` but for tests. */
  apiUrl: string;
  /** For each of two tries; together, with a short pause between, they stay below the deadline of who waits for a page. */
  timeoutMs?: number;
}

/** What is to be paid, and where the customer goes afterwards, whether they paid or turned back. */
export interface PageRequest {
  topUpId: string;
  accountId: string;
  email: string;
  amountCents: number;
  returnUrl: string;
}

/** An event as far as we look at it. */
export type PaymentEvent =
  | { about: 'session'; report: SessionReport; topUpId: string | undefined }
  /** Money that went back or may go back; `named` are the ids under which the operator finds it at Stripe. */
  | { about: 'refund' | 'dispute'; named: Record<string, unknown> }
  | { about: 'other'; type: string };

/** Older signatures are somebody's recording. */
const TOLERANCE_SECONDS = 300;

/** The one place that knows Stripe. Cards never come near us: customers pay on a page of Stripe's. */
export class StripePayments {
  private readonly stripe: Stripe;

  constructor(private readonly settings: StripeSettings) {
    const { protocol, hostname, port } = new URL(settings.apiUrl);
    this.stripe = new Stripe(settings.secretKey, {
      host: hostname,
      port: port || (protocol === 'https:' ? 443 : 80),
      protocol: protocol === 'https:' ? 'https' : 'http',
      timeout: settings.timeoutMs ?? 6_000,
      maxNetworkRetries: 1,
      telemetry: false,
    });
  }

  /** The same top-up gets the same page, however often it is asked for. Throws where Stripe gives none. */
  async openPage(request: PageRequest): Promise<{ sessionId: string; url: string }> {
    const metadata = { top_up_id: request.topUpId, account_id: request.accountId };
    const session = await this.stripe.checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: request.topUpId,
        metadata,
        // Copied to the charge, so that a refund or a dispute can be traced to its top-up.
        payment_intent_data: { metadata },
        customer_email: request.email,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: 'aud',
              unit_amount: request.amountCents,
              product_data: { name: 'Prepaid transcription credit' },
            },
          },
        ],
        // Other currencies would be paid in other amounts than those that are booked.
        adaptive_pricing: { enabled: false },
        success_url: request.returnUrl,
        cancel_url: request.returnUrl,
      },
      { idempotencyKey: request.topUpId },
    );
    if (!session.url) throw new Error(`Stripe gave no address for session ${session.id}`);
    return { sessionId: session.id, url: session.url };
  }

  async ask(sessionId: string): Promise<SessionReport> {
    const session = Session.parse(
      await this.stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent'] }),
    );
    return reportOf(session, standingOf(session));
  }

  /** @returns undefined where the signature is wrong or too old, or what is signed is no event */
  read(body: Buffer, signature: string): PaymentEvent | undefined {
    const { webhookSecret } = this.settings;
    let event: Stripe.Event;
    try {
      event = this.stripe.webhooks.constructEvent(body, signature, webhookSecret, TOLERANCE_SECONDS);
    } catch {
      // It reads nothing but what was sent, and throws whatever comes to hand at some malformed signatures.
      return undefined;
    }
    return eventOf(event.type, event.data.object);
  }
}

function eventOf(type: string, object: unknown): PaymentEvent {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return sessionEvent(object, standingOf);
    case 'checkout.session.async_payment_failed':
      return sessionEvent(object, () => 'failed');
    case 'checkout.session.expired':
      return sessionEvent(object, () => 'expired');
  }
  if (type === 'charge.refunded') return { about: 'refund', named: { type, ...Named.parse(object) } };
  if (type.startsWith('charge.dispute.'))
    return { about: 'dispute', named: { type, ...Named.parse(object) } };
  return { about: 'other', type };
}

function sessionEvent(
  object: unknown,
  standing: (session: Session) => SessionReport['standing'],
): PaymentEvent {
  const session = Session.parse(object);
  const topUpId = [session.metadata?.['top_up_id'], session.client_reference_id].find(
    (id) => z.uuid().safeParse(id).success,
  );
  return { about: 'session', report: reportOf(session, standing(session)), topUpId: topUpId ?? undefined };
}

/** Only the fields that we use: the rest changes with the version of Stripe's interface. */
const Session = z.object({
  id: z.string(),
  status: z.enum(['open', 'complete', 'expired']).nullish(),
  payment_status: z.string(),
  amount_total: z.number().int().nullish(),
  currency: z.string().nullish(),
  client_reference_id: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  payment_intent: z.union([z.string(), z.object({ status: z.string() })]).nullish(),
});
type Session = z.infer<typeof Session>;

const Named = z.object({
  id: z.string(),
  charge: z.unknown().optional(),
  payment_intent: z.unknown().optional(),
  amount: z.unknown().optional(),
  amount_refunded: z.unknown().optional(),
  metadata: z.unknown().optional(),
});

function standingOf({ status, payment_status, payment_intent }: Session): SessionReport['standing'] {
  // What needs no payment has no amount either, which does not fit any top-up.
  if (payment_status !== 'unpaid') return 'paid';
  if (status === 'expired') return 'expired';
  if (status === 'open') return 'payable';
  const intent = typeof payment_intent === 'object' ? payment_intent?.status : undefined;
  return intent === 'requires_payment_method' || intent === 'canceled' ? 'failed' : 'waiting';
}

function reportOf(session: Session, standing: SessionReport['standing']): SessionReport {
  return {
    sessionId: session.id,
    standing,
    amountCents: session.amount_total ?? null,
    currency: session.currency ?? null,
  };
}
