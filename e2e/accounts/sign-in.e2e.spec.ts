import { startPlatform, type TestPlatform } from '@currawong/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../client';
import { eventually, newEmail, PASSWORD, Person, query, type AccountBody } from './person';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform({
    services: ['billing', 'jobs', 'gateway', 'gateway-2'],
    // A query beside a transaction, of twenty at once, would wait for ever for the connections that they hold.
    env: { DATABASE_POOL_SIZE: '2' },
  });
}, 120_000);

afterAll(() => platform?.stop());

const person = (email?: string) => new Person(platform.baseUrl, email);

describe('signing up', () => {
  it('gives an account with 90 free minutes, no key, and a session that works at every gateway', async () => {
    const someone = person();
    const account = await someone.signUp();
    expect(account).toMatchObject({
      email: someone.email,
      email_confirmed: false,
      state: 'active',
      has_password: true,
      audio_retention_days: 30,
      low_balance_notice_aud: '2.000000',
    });
    expect((await someone.get('/api/v1/keys')).body).toEqual({ keys: [], maximum_unrevoked: 3 });
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({
      balance_aud: '0.00',
      free_minutes_remaining: 90,
    });
    const elsewhere = new Person(platform.baseUrlOf('gateway-2'), someone.email);
    for (const [name, value] of someone.cookies) elsewhere.cookies.set(name, value);
    expect(await elsewhere.isSignedIn()).toBe(true);
  });

  it('refuses an address that is taken, however it is written, also when twenty ask at once', async () => {
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        person().send('POST', '/api/v1/sign-up', {
          email: index % 2 ? email.toUpperCase() : email,
          password: PASSWORD,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
  });

  it.each([
    [{ email: 'nobody', password: PASSWORD }, /^email: /],
    [{ email: 'a@example.com', password: 'short' }, /^password: must have at least 10/],
    [{ email: 'a@example.com' }, /^password: /],
  ])('names the field that is wrong: %j', async (body, sentence) => {
    const answer = await person().send('POST', '/api/v1/sign-up', body);
    expect(answer.status).toBe(400);
    expect(answer.body['detail']).toMatch(sentence);
  });

  it('has consequences in billing and jobs: both are told the settings', async () => {
    const account = await person().signUp();
    await eventually(async () => {
      const [row] = await query(
        platform.databaseUrl,
        'SELECT 1 FROM accounts.settings_to_tell WHERE account_id = $1',
        [account.id],
      );
      return row === undefined;
    }, 'the settings are told');
  });
});

describe('the session cookie', () => {
  it('cannot be read by scripts, is not sent by other sites, and belongs to the whole origin', async () => {
    const someone = person();
    const answer = await someone.send('POST', '/api/v1/sign-up', {
      email: someone.email,
      password: PASSWORD,
    });
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^currawong_session=[\w-]{43}; /);
    expect(cookie!.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=2592000',
      'Path=/',
      'SameSite=Lax',
    ]);
  });

  it('is another one after each sign-in: a planted one is worth nothing, and the one before ends', async () => {
    const someone = person();
    await someone.signUp();
    const before = someone.cookies.get('currawong_session')!;
    const planted = 'A'.repeat(43);
    const victim = person(someone.email);
    victim.cookies.set('currawong_session', planted);
    await victim.signIn();
    expect(victim.cookies.get('currawong_session')).not.toBe(planted);
    await someone.signIn();
    const old = person(someone.email);
    old.cookies.set('currawong_session', before);
    expect(await old.isSignedIn()).toBe(false);
    old.cookies.set('currawong_session', planted);
    expect(await old.isSignedIn()).toBe(false);
    expect(await someone.isSignedIn()).toBe(true);
    expect(await victim.isSignedIn()).toBe(true);
  });

  it.each([
    ['last_used_at', 14],
    ['created_at', 30],
  ])('is worth nothing once %s is %d days ago', async (column, days) => {
    const someone = person();
    const account = await someone.signUp();
    const age = (hours: number) =>
      query(
        platform.databaseUrl,
        `UPDATE accounts.sessions SET ${column} = now() - make_interval(hours => $2) WHERE account_id = $1`,
        [account.id, hours],
      );
    await age(days * 24 - 1);
    await sleep(1000);
    expect(await someone.isSignedIn()).toBe(true);
    await age(days * 24 + 1);
    await eventually(async () => !(await someone.isSignedIn()), 'the session is over', 1);
  });

  it('counts as used by being used', async () => {
    const someone = person();
    const account = await someone.signUp();
    await query(
      platform.databaseUrl,
      `UPDATE accounts.sessions SET last_used_at = now() - interval '13 days' WHERE account_id = $1`,
      [account.id],
    );
    await eventually(async () => {
      await someone.isSignedIn();
      const [row] = await query<{ recent: boolean }>(
        platform.databaseUrl,
        `SELECT last_used_at > now() - interval '1 minute' AS recent FROM accounts.sessions WHERE account_id = $1`,
        [account.id],
      );
      return row!.recent;
    }, 'its use is written');
  });

  it('is stored as a hash alone', async () => {
    const someone = person();
    const account = await someone.signUp();
    const rows = await query(
      platform.databaseUrl,
      'SELECT s.*::text AS row FROM accounts.sessions s WHERE account_id = $1',
      [account.id],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(someone.cookies.get('currawong_session'));
  });
});

describe('signing out', () => {
  it('ends the session at every gateway at once and takes the cookie back', async () => {
    const someone = person();
    await someone.signUp();
    const copy = new Person(platform.baseUrlOf('gateway-2'), someone.email);
    for (const [name, value] of someone.cookies) copy.cookies.set(name, value);
    expect(await copy.isSignedIn()).toBe(true);
    const answer = await someone.send('DELETE', '/api/v1/session');
    expect(answer.status).toBe(200);
    expect(someone.cookies.size).toBe(0);
    await eventually(async () => !(await copy.isSignedIn()), 'the session is over', 1);
  });
});

describe('a request that another site made the browser send', () => {
  it('changes nothing without the token of the session', async () => {
    const someone = person();
    await someone.signUp();
    for (const token of ['', 'wrong', `${someone.csrfToken}x`]) {
      const answer = await someone.send('POST', '/api/v1/keys', { name: 'k' }, { 'x-csrf-token': token });
      expect(answer.status).toBe(403);
    }
    expect((await someone.get<{ keys: unknown[] }>('/api/v1/keys')).body.keys).toEqual([]);
  });

  it.each([
    ['sign-up', { email: 'x@example.com', password: PASSWORD }],
    ['session', { email: 'x@example.com', password: PASSWORD }],
    ['password-reset', { email: 'x@example.com' }],
    ['password-reset/confirm', { token: 'x', password: PASSWORD }],
  ])('does not even get to sign a browser in: POST /%s', async (route, body) => {
    const from = (headers: Record<string, string>) =>
      person().send('POST', `/api/v1/${route}`, body, headers);
    expect((await from({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await from({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await from({ origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await from({ origin: 'null' })).status).toBe(403);
    const form = await from({ 'content-type': 'text/plain' });
    expect(form.status).toBe(400);
    expect(form.body['detail']).toMatch(/application\/json/);
  });
});

describe('a wrong password', () => {
  it('is answered like an address that nobody has', async () => {
    const someone = person();
    await someone.signUp();
    const known = await person(someone.email).trySignIn('not the password');
    const unknown = await person().trySignIn('not the password');
    expect(known.status).toBe(401);
    expect(unknown.status).toBe(401);
    expect(unknown.body).toEqual(known.body);
  });

  it('takes as long as an address that nobody has', async () => {
    const someone = person();
    await someone.signUp();
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < 15; round++) {
      for (const kind of ['known', 'unknown'] as const) {
        const began = performance.now();
        await person(kind === 'known' ? someone.email : newEmail()).trySignIn('not the password');
        times[kind].push(performance.now() - began);
      }
    }
    // The fastest of each: a busy machine only adds.
    const [known, unknown] = [Math.min(...times.known), Math.min(...times.unknown)];
    // Without the comparison an unknown address would be answered several times faster.
    expect(Math.max(known, unknown) / Math.min(known, unknown)).toBeLessThan(2);
  });
});

describe('an account that is not active', () => {
  it.each(['suspended', 'closed'])('lets its holder in no more once it is %s', async (state) => {
    const someone = person();
    const account = await someone.signUp();
    const { api_key } = await someone.createKey();
    expect((await new Client(platform.baseUrl, api_key).get('/api/v1/usage')).status).toBe(200);
    if (state === 'suspended') await platform.admin('account', 'suspend', account.id);
    else {
      const wrong = await someone.send('POST', '/api/v1/account/close', { confirmation: 'not it' });
      expect(wrong.status).toBe(400);
      const closed = await someone.send('POST', '/api/v1/account/close', { confirmation: PASSWORD });
      expect(closed.status).toBe(200);
      expect(someone.cookies.size).toBe(0);
    }
    await eventually(
      async () => (await new Client(platform.baseUrl, api_key).get('/api/v1/usage')).status === 403,
      'the key is answered 403',
      1,
    );
    await eventually(async () => !(await someone.isSignedIn()), 'the session is not let in', 1);
    const again = await person(someone.email).trySignIn(PASSWORD);
    expect(again.status).toBe(403);
    expect(
      await query(platform.databaseUrl, 'SELECT state FROM accounts.accounts WHERE id = $1', [account.id]),
    ).toEqual([{ state }]);
  });
});

describe('the account', () => {
  it('is changed field by field, and each change is in its log', async () => {
    const someone = person();
    await someone.signUp();
    const change = (body: unknown) => someone.send<AccountBody>('PATCH', '/api/v1/account', body);
    expect((await change({ name: ' Karin ', audio_retention_days: 7 })).body).toMatchObject({
      name: 'Karin',
      audio_retention_days: 7,
      low_balance_notice_aud: '2.000000',
    });
    expect((await change({ low_balance_notice_aud: '12.5' })).body.low_balance_notice_aud).toBe('12.500000');
    expect((await change({ low_balance_notice_aud: null })).body.low_balance_notice_aud).toBeNull();
    expect((await change({})).body).toMatchObject({ name: 'Karin', audio_retention_days: 7 });
    for (const wrong of [
      { audio_retention_days: 0 },
      { audio_retention_days: 366 },
      { low_balance_notice_aud: '0.00' },
      { low_balance_notice_aud: 5 },
      { name: '' },
    ]) {
      const answer = await change(wrong);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ detail: expect.stringContaining(`${Object.keys(wrong)[0]}: `) });
    }
    const log = await someone.get<{ entries: { action: string; detail: string | null }[] }>(
      '/api/v1/account/audit-log',
    );
    expect(log.body.entries.map(({ action, detail }) => [action, detail])).toEqual([
      ['account_changed', 'low_balance_notice_aud: 12.500000 → none'],
      ['account_changed', 'low_balance_notice_aud: 2.000000 → 12.500000'],
      ['account_changed', 'name: none → Karin, audio_retention_days: 30 → 7'],
      ['signed_in', null],
      ['account_created', null],
    ]);
  });

  it('is asked for with a session alone: a key does not make keys', async () => {
    const someone = person();
    await someone.signUp();
    const { api_key } = await someone.createKey();
    const client = new Client(platform.baseUrl, api_key);
    for (const path of ['account', 'keys', 'session', 'account/audit-log'])
      expect((await client.get(`/api/v1/${path}`)).status).toBe(401);
  });
});

describe('the audit log', () => {
  it('has who, what and from where, twenty a page, and nothing secret', async () => {
    const someone = person();
    const account = await someone.signUp();
    await person(someone.email).trySignIn('not the password');
    const { id, api_key } = await someone.createKey('lab');
    await someone.send('DELETE', `/api/v1/keys/${id}`);
    await platform.admin('account', 'suspend', account.id);
    await platform.admin('account', 'resume', account.id);
    for (let index = 0; index < 18; index++)
      await someone.send('PATCH', '/api/v1/account', { audio_retention_days: 31 + index });
    const page = (before?: string) =>
      someone.get<{
        entries: { id: string; action: string; actor: string; address: string | null }[];
        next_before: string | null;
      }>(`/api/v1/account/audit-log${before ? `?before=${before}` : ''}`);
    const first = (await page()).body;
    expect(first.entries).toHaveLength(20);
    const second = (await page(first.next_before!)).body;
    expect(second.next_before).toBeNull();
    const all = [...first.entries, ...second.entries];
    expect(new Set(all.map((entry) => entry.id)).size).toBe(all.length);
    expect(all.slice(18).map(({ action, actor, address }) => [action, actor, address])).toEqual([
      ['account_resumed', 'operator', null],
      ['account_suspended', 'operator', null],
      ['key_revoked', 'holder', '127.0.0.1'],
      ['key_created', 'holder', '127.0.0.1'],
      ['sign_in_failed', 'holder', '127.0.0.1'],
      ['signed_in', 'holder', '127.0.0.1'],
      ['account_created', 'holder', '127.0.0.1'],
    ]);
    const text = JSON.stringify(all);
    for (const secret of [api_key, PASSWORD, someone.csrfToken!, someone.cookies.get('currawong_session')!])
      expect(text).not.toContain(secret);
    expect((await someone.get('/api/v1/account/audit-log?before=x')).status).toBe(400);
  }, 90_000);
});

it('no log line holds a password, a token or a key', async () => {
  const someone = person();
  await someone.signUp();
  const { api_key } = await someone.createKey();
  await person(someone.email).trySignIn('my other password');
  const logs = platform.logs('gateway') + platform.logs('gateway-2');
  for (const secret of [
    PASSWORD,
    'my other password',
    api_key,
    someone.csrfToken!,
    someone.cookies.get('currawong_session')!,
  ])
    expect(logs).not.toContain(secret);
});
