import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A Checkout Session as Stripe tells of it, as far as we use it. */
export interface StripeSession {
  id: string;
  object: 'checkout.session';
  mode: string;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  amount_total: number;
  currency: string;
  client_reference_id: string | null;
  customer_email: string | null;
  metadata: Record<string, string>;
  payment_intent: string | null;
  url: string | null;
  success_url: string;
  cancel_url: string;
  created: number;
  expires_at: number;
}

export interface StripeEvent {
  body: Buffer;
  /** The value of the header `Stripe-Signature`. */
  signature: string;
}

/** `down`: every request fails with 500; `slow`: it is carried out but never answered; `gone`: the socket is closed. */
export type StripeMood = 'well' | 'down' | 'slow' | 'gone';

/**
 * The part of Stripe that top-ups use, as a server of our own that speaks the same protocol: sessions made and read by
 * form-encoded requests with idempotency keys, events signed by the real scheme, and a page with a button that pays.
 */
export interface StripeServer {
  /** Settings of billing that make it use this server. */
  readonly environment: Record<'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_URL', string>;
  readonly sessions: ReadonlyMap<string, StripeSession>;
  /** The status that the webhook gave to each event sent so far; 0 where it could not be reached. */
  readonly deliveries: readonly { type: string; sessionId: string; status: number }[];
  /** How many requests to make a session came in, repetitions included. */
  readonly creations: number;
  /** Where events go from now on when somebody pays on the page: `http://…/api/v1/payment-events`. */
  sendEventsTo(webhookUrl: string): void;
  setMood(mood: StripeMood): void;
  /** Changes a session; sends nothing. */
  change(sessionId: string, changes: Partial<StripeSession>): StripeSession;
  /** How the payment behind a session stands: `processing`, `succeeded`, `requires_payment_method`, `canceled`. */
  setIntent(sessionId: string, status: string): void;
  /** What the button does: the session is paid and its event is sent. */
  pay(sessionId: string): Promise<void>;
  /** An event about the session as it is now, signed now unless told otherwise. */
  event(type: string, sessionId: string, wishes?: SigningWishes): StripeEvent;
  /** Any event at all. */
  sign(event: unknown, wishes?: SigningWishes): StripeEvent;
  stop(): Promise<void>;
}

export interface SigningWishes {
  atSeconds?: number;
  secret?: string;
}

const WEBHOOK_SECRET = 'whsec_test_of_our_own';
const SECRET_KEY = 'sk_test_of_our_own';

export async function startStripeServer(): Promise<StripeServer> {
  const stripe = new LocalStripe();
  await stripe.listen();
  return stripe;
}

class LocalStripe implements StripeServer {
  readonly sessions = new Map<string, StripeSession>();
  readonly deliveries: { type: string; sessionId: string; status: number }[] = [];
  creations = 0;
  private readonly answers = new Map<string, { parameters: string; sessionId: string }>();
  private readonly intents = new Map<string, string>();
  private mood: StripeMood = 'well';
  private webhookUrl: string | undefined;
  private readonly server = createServer((request, response) => {
    this.serve(request, response).catch((error: unknown) => fail(response, 500, 'api_error', String(error)));
  });

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get environment() {
    return { STRIPE_SECRET_KEY: SECRET_KEY, STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET, STRIPE_API_URL: this.url };
  }

  sendEventsTo(webhookUrl: string): void {
    this.webhookUrl = webhookUrl;
  }

  setMood(mood: StripeMood): void {
    this.mood = mood;
  }

  change(sessionId: string, changes: Partial<StripeSession>): StripeSession {
    const session = Object.assign(this.session(sessionId), changes);
    if (session.status !== 'open') session.url = null;
    return session;
  }

  setIntent(sessionId: string, status: string): void {
    this.intents.set(sessionId, status);
  }

  async pay(sessionId: string): Promise<void> {
    const payment_intent = newId('pi');
    this.change(sessionId, { status: 'complete', payment_status: 'paid', payment_intent });
    this.setIntent(sessionId, 'succeeded');
    await this.deliver('checkout.session.completed', sessionId);
  }

  event(type: string, sessionId: string, wishes?: SigningWishes): StripeEvent {
    return this.sign({ type, data: { object: this.session(sessionId) } }, wishes);
  }

  sign(event: unknown, wishes: SigningWishes = {}): StripeEvent {
    const { atSeconds = nowSeconds(), secret = WEBHOOK_SECRET } = wishes;
    const envelope = { id: newId('evt'), object: 'event', created: atSeconds, livemode: false };
    const body = Buffer.from(JSON.stringify({ ...envelope, ...(event as object) }, undefined, 2));
    const mac = createHmac('sha256', secret).update(`${atSeconds}.`).update(body).digest('hex');
    return { body, signature: `t=${atSeconds},v1=${mac}` };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private session(id: string): StripeSession {
    const session = this.sessions.get(id);
    if (!session) throw new Error(`no such session: ${id}`);
    return session;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const body = new URLSearchParams(await bodyOf(request));
    const [, first, second, third, fourth] = pathname.split('/');
    if (first === 'pay') return this.servePage(request.method === 'POST', second ?? '', response);
    if (this.mood === 'gone') return void request.socket.destroy();
    if (this.mood === 'down') return fail(response, 500, 'api_error', 'Something went wrong on our side.');
    if (request.headers.authorization !== `Bearer ${SECRET_KEY}`)
      return fail(response, 401, 'invalid_request_error', 'Invalid API Key provided');
    if (first !== 'v1' || second !== 'checkout' || third !== 'sessions')
      return fail(response, 404, 'invalid_request_error', `Unrecognized request URL: ${pathname}`);
    if (request.method === 'POST' && fourth === undefined) {
      const key = request.headers['idempotency-key'];
      return this.create(body, typeof key === 'string' ? key : undefined, response);
    }
    const session = this.sessions.get(fourth ?? '');
    if (!session) return fail(response, 404, 'invalid_request_error', `No such checkout.session: ${fourth}`);
    if (this.mood === 'slow') return;
    const expanded = searchParams.get('expand[0]') === 'payment_intent' && session.payment_intent !== null;
    const intent = { id: session.payment_intent, status: this.intents.get(session.id) ?? 'processing' };
    answer(response, 200, expanded ? { ...session, payment_intent: intent } : session);
  }

  private create(body: URLSearchParams, key: string | undefined, response: ServerResponse): void {
    this.creations += 1;
    const before = key === undefined ? undefined : this.answers.get(key);
    if (before && before.parameters !== body.toString())
      return fail(response, 400, 'idempotency_error', 'Keys may only be used with the same parameters.');
    const session = before ? this.session(before.sessionId) : this.sessionFrom(body);
    if (typeof session === 'string') return fail(response, 400, 'invalid_request_error', session);
    this.sessions.set(session.id, session);
    if (key !== undefined) this.answers.set(key, { parameters: body.toString(), sessionId: session.id });
    if (this.mood !== 'slow') answer(response, 200, session);
  }

  /** The session, or what is wrong with the request. */
  private sessionFrom(body: URLSearchParams): StripeSession | string {
    const price = (name: string) => body.get(`line_items[0][price_data][${name}]`);
    const amount = Number(price('unit_amount')) * Number(body.get('line_items[0][quantity]'));
    if (body.get('mode') !== 'payment') return 'mode: only payment is spoken here';
    if (!Number.isInteger(amount) || amount < 50) return 'The amount must be at least $0.50 aud';
    if (!body.get('success_url')) return 'Missing required param: success_url.';
    const metadata = [...body].flatMap(([name, value]) => {
      const match = /^metadata\[(\w+)\]$/.exec(name);
      return match ? [[match[1]!, value] as const] : [];
    });
    const id = newId('cs_test');
    return {
      id,
      object: 'checkout.session',
      mode: 'payment',
      status: 'open',
      payment_status: 'unpaid',
      amount_total: amount,
      currency: price('currency') ?? '',
      client_reference_id: body.get('client_reference_id'),
      customer_email: body.get('customer_email'),
      metadata: Object.fromEntries(metadata),
      payment_intent: null,
      url: `${this.url}/pay/${id}`,
      success_url: body.get('success_url')!,
      cancel_url: body.get('cancel_url') ?? body.get('success_url')!,
      created: nowSeconds(),
      expires_at: nowSeconds() + 86_400,
    };
  }

  /** The page that a customer sees: one button that pays and a way back. */
  private async servePage(isPost: boolean, sessionId: string, response: ServerResponse): Promise<void> {
    const session = this.sessions.get(sessionId);
    if (!session || session.status !== 'open') {
      response.writeHead(404, { 'Content-Type': 'text/html; charset=utf-8' });
      return void response.end(
        '<!doctype html><title>Gone</title><p>This page can no longer be paid on.</p>',
      );
    }
    if (!isPost) {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
      return void response.end(pageOf(session));
    }
    await this.pay(sessionId);
    response.writeHead(303, { Location: session.success_url });
    response.end();
  }

  /** Tries a few times, as the real one does for days. */
  private async deliver(type: string, sessionId: string): Promise<void> {
    if (this.webhookUrl === undefined) return;
    for (let attempt = 0; attempt < 5; attempt++) {
      const { body, signature } = this.event(type, sessionId);
      const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signature };
      const status = await fetch(this.webhookUrl, { method: 'POST', headers, body: new Uint8Array(body) })
        .then(({ status }) => status)
        .catch(() => 0);
      this.deliveries.push({ type, sessionId, status });
      if (status >= 200 && status < 300) return;
      await sleep(200);
    }
  }
}

function pageOf({ amount_total, customer_email, cancel_url }: StripeSession): string {
  const amount = `${Math.floor(amount_total / 100)}.${String(amount_total % 100).padStart(2, '0')}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Payment (test)</title></head><body>
<h1>Pay AUD ${amount}</h1><p>${escaped(customer_email ?? '')}</p>
<form method="post"><button id="pay" type="submit">Pay AUD ${amount}</button></form>
<p><a id="cancel" href="${escaped(cancel_url)}">Go back without paying</a></p>
</body></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': newId('req') });
  response.end(JSON.stringify(body));
}

function fail(response: ServerResponse, status: number, type: string, message: string): void {
  answer(response, status, { error: { type, message } });
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
