import { BalanceLow, type PayloadOf } from '@currawong/contracts';
import { connectMessaging, Publisher } from '@currawong/messaging';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { Client as Database } from 'pg';
import { eventually, newEmail, PASSWORD, Person, query } from './person';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform({
    services: ['billing', 'jobs', 'gateway', 'gateway-2'],
    env: {
      SIGN_IN_ATTEMPTS_PER_QUARTER_HOUR: '3',
      SIGN_UPS_PER_HOUR: '13',
      REQUESTED_MAILS_PER_HOUR: '2',
      KEYS_PER_HOUR: '4',
    },
  });
}, 120_000);

afterAll(() => platform?.stop());

async function someone(): Promise<Person> {
  const person = new Person(platform.baseUrl);
  await person.signUp();
  return person;
}

describe('guessing a password', () => {
  it('ends after the attempts that are allowed, at every gateway, and the right one is not told from others', async () => {
    const person = await someone();
    const elsewhere = new Person(platform.baseUrlOf('gateway-2'), person.email);
    for (const guesser of [person, elsewhere, person])
      expect((await guesser.trySignIn('not the password')).status).toBe(401);
    for (const guesser of [elsewhere, person]) {
      const answer = await guesser.trySignIn(PASSWORD);
      expect(answer.status).toBe(429);
      expect(answer.body['detail']).toMatch(
        /rate limit is exceeded.*3 attempts to sign in.*Wait \d+ seconds/,
      );
      const retryAfter = Number(answer.headers.get('retry-after'));
      expect(retryAfter).toBeGreaterThan(800);
      expect(retryAfter).toBeLessThanOrEqual(900);
    }
    // Who is signed in is not harmed by it, and neither are others at the same address.
    expect(await person.isSignedIn()).toBe(true);
    expect((await new Person(platform.baseUrl).trySignIn('x')).status).toBe(401);
  });

  it('gets no further when all attempts come at once, and for an address that nobody has alike', async () => {
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => new Person(platform.baseUrl, email).trySignIn('a guess')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(3).fill(401),
      ...Array<number>(17).fill(429),
    ]);
  });

  it('is no easier in a browser that was left open', async () => {
    const person = await someone();
    const change = (current_password: string) =>
      person.send('PUT', '/api/v1/account/password', { current_password, password: 'a new password' });
    for (let attempt = 0; attempt < 3; attempt++) expect((await change('a guess')).status).toBe(400);
    expect((await change(PASSWORD)).status).toBe(429);
    expect((await person.send('POST', '/api/v1/account/close', { confirmation: PASSWORD })).status).toBe(429);
  });
});

it('mails to one address are few, whether or not it has an account', async () => {
  const person = await someone();
  for (const email of [person.email, newEmail()]) {
    const ask = () => new Person(platform.baseUrl).send('POST', '/api/v1/password-reset', { email });
    expect([await ask(), await ask(), await ask()].map(({ status }) => status)).toEqual([202, 202, 429]);
  }
  const again = () => person.send('POST', '/api/v1/email-confirmation');
  expect([await again(), await again(), await again()].map(({ status }) => status)).toEqual([202, 202, 429]);
});

it('new keys of an account are few, however many of them are revoked, and no other account is harmed', async () => {
  const [person, other] = [await someone(), await someone()];
  for (let made = 0; made < 4; made++) {
    const { id } = await person.createKey();
    expect((await person.send('DELETE', `/api/v1/keys/${id}`)).status).toBe(200);
  }
  const refused = await person.send('POST', '/api/v1/keys', { name: 'the fifth' });
  expect(refused.status).toBe(429);
  expect(refused.body['detail']).toMatch(/4 new keys in an hour/);
  await other.createKey();
});

it('without a mail server the log has the mail with its link, and says why', async () => {
  const person = await someone();
  const line = await eventually(async () => {
    const lines = (platform.logs('gateway') + platform.logs('gateway-2')).split('\n');
    return Promise.resolve(lines.find((one) => one.includes(person.email)));
  }, 'the mail is in the log');
  const { level, msg } = JSON.parse(line) as { level: string; msg: string };
  expect(level).toBe('warn');
  expect(msg).toContain('No mail server is set up');
  const token = /#token=([\w-]+)/.exec(msg)![1]!;
  const answer = await person.send('POST', '/api/v1/email-confirmation/confirm', { token });
  expect(answer.status).toBe(200);
});

it('while billing is slow neither a new account nor a changed setting holds a database connection', async () => {
  const person = await someone();
  const newcomer = new Person(platform.baseUrl);
  const billing = new Database({ connectionString: platform.databaseUrl });
  await billing.connect();
  const locks = (on: string, what: string) =>
    query(
      platform.databaseUrl,
      'SELECT mode FROM pg_locks WHERE relation = $1::regclass AND database IS NOT NULL AND ' + what,
      [on],
    );
  const asking = async (count: number) => (await locks('billing.balances', 'NOT granted')).length >= count;
  try {
    await billing.query('BEGIN');
    await billing.query('LOCK TABLE billing.balances IN ACCESS EXCLUSIVE MODE');
    const signedUp = newcomer.signUp();
    await eventually(() => asking(1), 'billing is asked for the books');
    expect(await locks('accounts.accounts', 'granted')).toEqual([]);
    await billing.query('ROLLBACK');
    await signedUp;
    await eventually(
      async () => (await query(platform.databaseUrl, 'SELECT 1 FROM accounts.settings_to_tell')).length === 0,
      'the first settings are told',
    );
    await billing.query('BEGIN');
    await billing.query('LOCK TABLE billing.balances IN ACCESS EXCLUSIVE MODE');
    await person.send('PATCH', '/api/v1/account', { low_balance_notice_aud: '9' });
    await eventually(() => asking(1), 'billing is told the setting');
    expect(await locks('accounts.settings_to_tell', 'granted')).toEqual([]);
  } finally {
    await billing.query('ROLLBACK');
    await billing.end();
  }
}, 60_000);

it('of several changes of a setting the newest is what the other services know in the end', async () => {
  const person = await someone();
  const { id } = (await person.get<{ id: string }>('/api/v1/account')).body;
  const told = () =>
    query(platform.databaseUrl, 'SELECT 1 FROM accounts.settings_to_tell WHERE account_id = $1', [id]).then(
      (rows) => rows.length === 0,
    );
  await eventually(told, 'the first settings are told');
  for (const days of [5, 6, 7]) await person.send('PATCH', '/api/v1/account', { audio_retention_days: days });
  await eventually(told, 'the changes are told', 30);
  const [jobs] = await query(
    platform.databaseUrl,
    `SELECT s.audio_retention_days, s.chosen_revision = a.settings_revision AS newest
       FROM jobs.account_settings s JOIN accounts.accounts a ON a.id = s.account_id WHERE a.id = $1`,
    [id],
  );
  expect(jobs).toEqual({ audio_retention_days: 7, newest: true });
}, 60_000);

it('how long jobs are kept, and that the account is closed, is known to jobs; it is not shorter than for recordings', async () => {
  const person = await someone();
  const { id } = (await person.get<{ id: string }>('/api/v1/account')).body;
  const change = (days: unknown) =>
    person.send<{ detail?: string; transcript_retention_days?: number | null }>('PATCH', '/api/v1/account', {
      transcript_retention_days: days,
    });
  const known = async () =>
    (
      await query(
        platform.databaseUrl,
        'SELECT transcript_retention_days AS days, closed_at IS NOT NULL AS closed FROM jobs.account_settings WHERE account_id = $1',
        [id],
      )
    )[0];
  for (const days of [0, 3651, 1.5, '90']) {
    const { status, body } = await change(days);
    expect([status, body.detail]).toEqual([400, expect.stringContaining('from 1 to 3650, or null')]);
  }
  const tooShort = await change(29);
  expect([tooShort.status, tooShort.body.detail]).toEqual([
    400,
    expect.stringContaining('must not be less than audio_retention_days, which is 30'),
  ]);
  expect((await change(90)).body.transcript_retention_days).toBe(90);
  await eventually(async () => (await known())?.['days'] === 90, 'jobs knows it', 30);
  expect((await person.send('PATCH', '/api/v1/account', { audio_retention_days: 91 })).status).toBe(400);
  expect((await change(null)).body.transcript_retention_days).toBeNull();
  await eventually(async () => (await known())?.['days'] === null, 'jobs knows that too', 30);
  const closing = await person.send('POST', '/api/v1/account/close', { confirmation: PASSWORD });
  expect(closing.status).toBe(200);
  await eventually(async () => (await known())?.['closed'] === true, 'jobs knows that it is closed', 30);
  await platform.admin('account', 'resume', id);
  await eventually(async () => (await known())?.['closed'] === false, 'jobs knows that it is open again', 30);
}, 90_000);

it('settings are changed while billing is down, and billing is told when it is back', async () => {
  const person = await someone();
  const waiting = async () =>
    (
      await query(
        platform.databaseUrl,
        `SELECT 1 FROM accounts.settings_to_tell s JOIN accounts.accounts a ON a.id = s.account_id WHERE a.email = $1`,
        [person.email],
      )
    ).length > 0;
  await eventually(async () => !(await waiting()), 'the first settings are told');
  await platform.halt('billing');
  const change = await person.send('PATCH', '/api/v1/account', { low_balance_notice_aud: '7' });
  expect(change.status).toBe(200);
  expect(await waiting()).toBe(true);
  await platform.resume('billing');
  await eventually(async () => !(await waiting()), 'the change is told', 30);
}, 60_000);

it('a low balance is told to its holder once, however often the broker says it', async () => {
  const person = await someone();
  const { id } = (await person.get<{ id: string }>('/api/v1/account')).body;
  const connection = await connectMessaging({ url: platform.nats.url, name: 'test' });
  const low: PayloadOf<typeof BalanceLow> = {
    account_id: id,
    available_micro_aud: 1_999_999,
    threshold_micro_aud: 2_000_000,
  };
  const mails = () =>
    query<{ subject: string; cause: string | null }>(
      platform.databaseUrl,
      `SELECT subject, cause FROM accounts.outgoing_mails WHERE account_id = $1 AND kind = 'balance_low' ORDER BY id`,
      [id],
    );
  const publish = (messageId: string) => new Publisher(connection).publish(BalanceLow, low, { messageId });
  await publish(`balance-low:${id}:1`);
  await eventually(async () => (await mails()).length > 0, 'the first mail');
  // A broker that has forgotten what was handled delivers everything again.
  const manager = await connection.jetstreamManager();
  await manager.consumers.delete(BalanceLow.stream, 'gateway-balance-low');
  await publish(`balance-low:${id}:2`);
  await eventually(
    async () => (await mails()).some(({ cause }) => cause?.endsWith(':2')),
    'the last mail',
    30,
  );
  await connection.close();
  expect((await mails()).map(({ cause }) => cause)).toEqual([`balance-low:${id}:1`, `balance-low:${id}:2`]);
  expect(platform.logs('gateway') + platform.logs('gateway-2')).toContain('AUD 1.99 can still be spent');
}, 60_000);

it('new accounts from one address are few', async () => {
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429 && statuses.length < 20) {
    const body = { email: newEmail(), password: PASSWORD };
    statuses.push((await new Person(platform.baseUrl).send('POST', '/api/v1/sign-up', body)).status);
  }
  expect(statuses.at(-1)).toBe(429);
  // The others of this file are among the thirteen.
  expect(statuses.length).toBeLessThanOrEqual(3);
});
