import { startPlatform, type TestPlatform } from '@currawong/testing';
import {
  signInThroughProvider,
  startIdentityProvider,
  throughProvider,
  type IdentityProvider,
} from './identity-provider';
import { eventually, newEmail, PASSWORD, Person, query, type AccountBody } from './person';

const CLIENT = { client_id: 'currawong', client_secret: 'a secret between the two of us' };
let provider: IdentityProvider;
let platform: TestPlatform;

async function start(env: Record<string, string> = {}): Promise<TestPlatform> {
  return startPlatform({
    services: ['billing', 'jobs', 'gateway'],
    env: {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.client_id,
      OIDC_CLIENT_SECRET: CLIENT.client_secret,
      OIDC_NAME: 'the university',
      ...env,
    },
  });
}

/** Browsers reach a test platform under this name, and so does the provider. */
const origin = ({ baseUrl }: TestPlatform) => `http://localhost:${new URL(baseUrl).port}`;
const serve = (of: TestPlatform) =>
  provider.serve({ ...CLIENT, redirect_uris: [`${origin(of)}/api/v1/oidc/callback`] });
const browser = (email?: string) => new Person(platform.baseUrl, email);
const subject = () => `sub-${Math.random().toString(36).slice(2)}`;
const confirmEmail = (email: string) =>
  query(platform.databaseUrl, 'UPDATE accounts.accounts SET email_confirmed_at = now() WHERE email = $1', [
    email,
  ]);
const accountOf = async (person: Person) => (await person.get<AccountBody>('/api/v1/account')).body;

beforeAll(async () => {
  provider = await startIdentityProvider();
  platform = await start();
}, 120_000);

afterAll(async () => {
  await platform?.stop();
  await provider?.stop();
});

it('while the provider is away a person is told so, and it needs no restart when it is back', async () => {
  const person = browser();
  expect((await person.get('/api/v1/sign-in-options')).body).toEqual({
    sign_up: true,
    identity_provider: 'the university',
  });
  expect(await signInThroughProvider(person)).toBe('/dashboard/sign-in?problem=provider_unavailable');
  await serve(platform);
  await provider.seat({ sub: subject(), email: newEmail(), email_verified: true });
  expect(await signInThroughProvider(person)).toBe('/dashboard/');
});

describe('somebody new', () => {
  it('gets an account with a confirmed address, free minutes and no password, and is known again', async () => {
    const email = newEmail();
    const sub = subject();
    await provider.seat({ sub, email: email.toUpperCase(), email_verified: true, name: 'Magpie' });
    const person = browser();
    expect(await signInThroughProvider(person)).toBe('/dashboard/');
    const account = await accountOf(person);
    expect(account).toMatchObject({
      email,
      name: 'Magpie',
      email_confirmed: true,
      has_password: false,
      state: 'active',
    });
    expect((await person.get('/api/v1/credit')).body).toMatchObject({ free_minutes_remaining: 90 });
    // Another address by now; it is the same person.
    await provider.seat({ sub, email: newEmail(), email_verified: true });
    const again = browser();
    expect(await signInThroughProvider(again)).toBe('/dashboard/');
    expect((await accountOf(again)).id).toBe(account.id);
    const refused = await browser(email).trySignIn(PASSWORD);
    expect(refused.status).toBe(401);
  });

  it('closes the account by its address, as there is no password', async () => {
    const email = newEmail();
    await provider.seat({ sub: subject(), email, email_verified: true });
    const person = browser();
    await signInThroughProvider(person);
    person.csrfToken = String((await person.get('/api/v1/session')).body['csrf_token']);
    const close = (confirmation: string) => person.send('POST', '/api/v1/account/close', { confirmation });
    expect((await close('no')).status).toBe(400);
    expect((await close(email)).status).toBe(200);
    expect(await signInThroughProvider(browser())).toBe('/dashboard/sign-in?problem=account_inactive');
  });

  it.each([{ email_verified: false }, {}])(
    'whose address the provider does not vouch for is not let in: %j',
    async (claims) => {
      await provider.seat({ sub: subject(), email: newEmail(), ...claims });
      const person = browser();
      expect(await signInThroughProvider(person)).toBe('/dashboard/sign-in?problem=email_not_verified');
      expect(await person.isSignedIn()).toBe(false);
    },
  );
});

describe('somebody whose address has an account already', () => {
  it('is joined to it where the address was confirmed here', async () => {
    const owner = browser();
    const { id } = await owner.signUp();
    await confirmEmail(owner.email);
    await provider.seat({ sub: subject(), email: owner.email, email_verified: true });
    const person = browser();
    expect(await signInThroughProvider(person)).toBe('/dashboard/');
    expect(await accountOf(person)).toMatchObject({ id, has_password: true });
    const log = await person.get<{ entries: { action: string; detail: string | null }[] }>(
      '/api/v1/account/audit-log',
    );
    expect(log.body.entries.slice(0, 2).map(({ action, detail }) => [action, detail])).toEqual([
      ['signed_in', 'through the university'],
      ['identity_linked', 'the university'],
    ]);
  });

  it('does not share it with whoever made it in advance with an address that is not theirs', async () => {
    const intruder = browser();
    const { id } = await intruder.signUp();
    const sub = subject();
    await provider.seat({ sub, email: intruder.email, email_verified: true });
    const person = browser();
    expect(await signInThroughProvider(person)).toBe('/dashboard/sign-in?problem=account_not_confirmed');
    expect(await person.isSignedIn()).toBe(false);
    expect(
      await query(platform.databaseUrl, 'SELECT 1 FROM accounts.identities WHERE account_id = $1', [id]),
    ).toEqual([]);
  });
});

it.each(['nobody knows', 'has an account'])(
  'a first visit in ten windows at once, with an address that %s, makes one account and one link to it',
  async (kind) => {
    const owner = browser();
    if (kind === 'has an account') {
      await owner.signUp();
      await confirmEmail(owner.email);
    }
    await provider.seat({ sub: subject(), email: owner.email, email_verified: true });
    const ends = await Promise.all(Array.from({ length: 10 }, () => signInThroughProvider(browser())));
    expect(ends).toEqual(Array<string>(10).fill('/dashboard/'));
    expect(
      await query(
        platform.databaseUrl,
        `SELECT count(DISTINCT a.id)::int AS accounts, count(*)::int AS identities FROM accounts.accounts a
           JOIN accounts.identities i ON i.account_id = a.id WHERE a.email = $1`,
        [owner.email],
      ),
    ).toEqual([{ accounts: 1, identities: 1 }]);
  },
);

describe('the answer of the provider', () => {
  /** A person who is back from the provider, at our door. */
  async function returned(): Promise<{ person: Person; back: URL }> {
    await provider.seat({ sub: subject(), email: newEmail(), email_verified: true });
    const person = browser();
    const { headers } = await person.get('/api/v1/oidc/start');
    return { person, back: new URL(await throughProvider(headers.get('location')!)) };
  }
  const PROBLEM = '/dashboard/sign-in?problem=sign_in_failed';
  const knock = async (person: Person, back: URL) =>
    (await person.get(back.pathname + back.search)).headers.get('location');

  it('counts in the browser that asked, and there once', async () => {
    const { person, back } = await returned();
    expect(await knock(browser(), back)).toBe(PROBLEM);
    const cookie = person.cookies.get('currawong_oidc')!;
    expect(await knock(person, back)).toBe('/dashboard/');
    person.cookies.set('currawong_oidc', cookie);
    expect(await knock(person, back)).toBe(PROBLEM);
  });

  it('counts for the question that was asked: not another state, and not the code of another person', async () => {
    const one = await returned();
    one.back.searchParams.set('state', 'another');
    expect(await knock(one.person, one.back)).toBe(PROBLEM);
    const [victim, attacker] = [await returned(), await returned()];
    victim.back.searchParams.set('code', attacker.back.searchParams.get('code')!);
    expect(await knock(victim.person, victim.back)).toBe(PROBLEM);
    expect(await victim.person.isSignedIn()).toBe(false);
  });

  it('does not count ten minutes later', async () => {
    const { person, back } = await returned();
    await query(
      platform.databaseUrl,
      `UPDATE accounts.oidc_attempts SET expires_at = now() - interval '1 second'`,
    );
    expect(await knock(person, back)).toBe(PROBLEM);
  });

  it('may be no', async () => {
    await provider.refuse();
    expect(await signInThroughProvider(browser())).toBe(PROBLEM);
  });

  it('may not come at all: the person is told that the provider is away', async () => {
    const { person, back } = await returned();
    await provider.serve(null);
    expect(await knock(person, back)).toBe('/dashboard/sign-in?problem=provider_unavailable');
    await serve(platform);
  });
});

it('nothing of what passes between the two is in the log', async () => {
  await provider.seat({ sub: subject(), email: newEmail(), email_verified: true });
  const person = browser();
  const { headers } = await person.get('/api/v1/oidc/start');
  const back = new URL(await throughProvider(headers.get('location')!));
  await person.get(back.pathname + back.search);
  for (const secret of [
    CLIENT.client_secret,
    back.searchParams.get('code')!,
    back.searchParams.get('state')!,
    person.cookies.get('currawong_session')!,
  ])
    expect(platform.logs('gateway')).not.toContain(secret);
});

describe('where sign-up is closed', () => {
  let closed: TestPlatform;

  beforeAll(async () => {
    closed = await start({ SIGN_UP: 'closed' });
    await serve(closed);
  }, 120_000);

  afterAll(() => closed?.stop());

  it('nobody makes an account, by password or through the provider', async () => {
    const person = new Person(closed.baseUrl);
    expect((await person.get('/api/v1/sign-in-options')).body).toMatchObject({ sign_up: false });
    const answer = await person.send('POST', '/api/v1/sign-up', { email: person.email, password: PASSWORD });
    expect(answer.status).toBe(403);
    await provider.seat({ sub: subject(), email: person.email, email_verified: true });
    expect(await signInThroughProvider(person)).toBe('/dashboard/sign-in?problem=sign_up_closed');
  });

  it('the operator makes it, with a password that works', async () => {
    const email = newEmail();
    const { account_id } = await closed.admin<{ account_id: string }>('account', 'create', '--email', email);
    const { password } = await closed.admin<{ password: string }>('account', 'password', account_id);
    const person = new Person(closed.baseUrl, email);
    await person.signIn(password);
    expect(await closed.admin('account', 'show', email)).toMatchObject({
      account_id,
      email,
      email_confirmed: true,
      has_password: true,
      unrevoked_keys: 1,
    });
    // The operator vouched for the address, so the provider's word that it is theirs lets its holder in.
    await provider.seat({ sub: subject(), email, email_verified: true });
    expect(await signInThroughProvider(new Person(closed.baseUrl))).toBe('/dashboard/');
    const { accounts } = await closed.admin<{ accounts: { email: string }[] }>('account', 'list');
    expect(accounts.map((account) => account.email)).toEqual([email]);
    await eventually(async () => {
      const waiting = await query(closed.databaseUrl, 'SELECT 1 FROM accounts.settings_to_tell');
      return waiting.length === 0;
    }, 'billing and jobs know its settings');
  }, 90_000);
});
