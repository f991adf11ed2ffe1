import { setTimeout as sleep } from 'node:timers/promises';
import { Client as Database } from 'pg';

export interface Answered<B = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: B;
}

export interface AccountBody {
  id: string;
  email: string;
  email_confirmed: boolean;
  name: string | null;
  state: string;
  has_password: boolean;
  audio_retention_days: number;
  low_balance_notice_aud: string | null;
}

export interface CreatedKey {
  id: string;
  name: string;
  api_key: string;
}

export const PASSWORD = 'black feathers and a yellow eye';
let people = 0;

export function newEmail(): string {
  return `person-${++people}-${Math.random().toString(36).slice(2)}@example.com`;
}

/** What a person's browser does with the gateway: it keeps cookies and says where its requests come from. */
export class Person {
  readonly cookies = new Map<string, string>();
  csrfToken: string | undefined;

  constructor(
    readonly baseUrl: string,
    readonly email = newEmail(),
  ) {}

  async signUp(password = PASSWORD): Promise<AccountBody> {
    return this.enter(await this.send('POST', '/api/v1/sign-up', { email: this.email, password }), 201);
  }

  async signIn(password = PASSWORD): Promise<AccountBody> {
    return this.enter(await this.trySignIn(password), 200);
  }

  trySignIn(password: string): Promise<Answered> {
    return this.send('POST', '/api/v1/session', { email: this.email, password });
  }

  isSignedIn(): Promise<boolean> {
    return this.get('/api/v1/session').then(({ status }) => status === 200);
  }

  async createKey(name = 'a key', mode = 'live'): Promise<CreatedKey> {
    const answer = await this.send<CreatedKey>('POST', '/api/v1/keys', { name, mode });
    if (answer.status !== 201) throw new Error(`POST /keys: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  get<B = Record<string, unknown>>(path: string): Promise<Answered<B>> {
    return this.send<B>('GET', path);
  }

  /** With the cookies and the token that the page would send; what a test says in `headers` wins. */
  async send<B = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered<B>> {
    const response = await fetch(new URL(path, this.baseUrl), {
      method,
      redirect: 'manual',
      headers: {
        ...(this.cookies.size > 0 && { cookie: this.cookieHeader() }),
        ...(this.csrfToken !== undefined && method !== 'GET' && { 'x-csrf-token': this.csrfToken }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    this.keepCookies(response.headers);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : {}) as B,
    };
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private keepCookies(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0\b/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }

  private enter(answer: Answered, expected: number): AccountBody {
    if (answer.status !== expected)
      throw new Error(`signing in answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    this.csrfToken = String(answer.body['csrf_token']);
    return answer.body['account'] as AccountBody;
  }
}

/** Polls until it is there, or fails the test. */
export async function eventually<T>(
  look: () => Promise<T | undefined | false>,
  what: string,
  withinSeconds = 15,
): Promise<T> {
  const deadline = Date.now() + withinSeconds * 1000;
  for (;;) {
    // Whoever looks once it must be so has to find it so, however long the look takes on a busy machine.
    const isLast = Date.now() > deadline;
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (isLast) throw new Error(`not within ${withinSeconds} s: ${what}`);
    await sleep(50);
  }
}

/** What the database itself says. */
export async function query<Row = Record<string, unknown>>(
  databaseUrl: string,
  sql: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const database = new Database({ connectionString: databaseUrl });
  await database.connect();
  try {
    return (await database.query(sql, parameters)).rows as Row[];
  } finally {
    await database.end();
  }
}
