import { wav } from '../recordings';
import {
  quiet,
  TEST_SECONDS_PER_DAY,
  TWO_SECONDS,
  UNKNOWN_ID,
  type Contract,
  type ContractClient,
} from './contract';

/** Every route that a key opens; `{job}` is a job's id. */
const ROUTES: [method: string, path: string][] = [
  ['POST', '/api/v1/transcribe'],
  ['GET', '/api/v1/jobs'],
  ['GET', '/api/v1/jobs/{job}'],
  ['PATCH', '/api/v1/jobs/{job}'],
  ['GET', '/api/v1/jobs/{job}/audio'],
  ['GET', '/api/v1/jobs/{job}/transcript'],
  ['GET', '/api/v1/usage'],
  ['GET', '/api/v1/usage/breakdown'],
  ['GET', '/api/v1/credit'],
  ['GET', '/api/v1/statement'],
  ['GET', '/queue/status'],
  ['GET', '/status/{job}'],
];
const JOB_ROUTES = ROUTES.filter(([, path]) => path.includes('{job}'));

export function authentication(here: () => Contract): void {
  it.each(ROUTES)('%s %s gives one and the same 401 to whoever has no valid key', async (method, path) => {
    const { anyone, customer, jobId } = here();
    const { id, client: revoked } = await here().keyOf(customer);
    await here().revoke(id);
    await gone(revoked);
    const keys = [
      undefined,
      '',
      'nonsense',
      `sk_live_${'a'.repeat(38)}`,
      `${customer.apiKey}x`,
      revoked.apiKey,
    ];
    for (const key of keys) {
      const answer = await anyone.as(key).send(method, path.replace('{job}', jobId));
      expect(answer).toMatchObject({ status: 401, body: { detail: 'Invalid or missing API key' } });
    }
  });

  it('keys are sk_live_… and sk_test_…', async () => {
    const { customer } = here();
    const tester = await here().newCustomer({ mode: 'test' });
    expect(customer.apiKey).toMatch(/^sk_live_[0-9A-Za-z]{20,}$/);
    expect(tester.apiKey).toMatch(/^sk_test_[0-9A-Za-z]{20,}$/);
  });

  it.each(['suspended', 'closed'])('a valid key of a %s account gets 403', async (state) => {
    const someone = await here().newCustomer({ freeMinutes: 1 });
    expect((await someone.get('/api/v1/usage')).status).toBe(200);
    await here().query('UPDATE accounts.accounts SET state = $2 WHERE id = $1', [someone.accountId, state]);
    for (const answer of [await eventually(someone, 403), await someone.transcribe(TWO_SECONDS)]) {
      expect(answer.status).toBe(403);
      expect(answer.body['detail']).toMatch(/not active/);
    }
    await here().query(`UPDATE accounts.accounts SET state = 'active' WHERE id = $1`, [someone.accountId]);
    expect((await eventually(someone, 200)).status).toBe(200);
    await here().expectNothingLeft(someone);
  });

  it('a key is made in the dashboard by naming it, and shown whole once', async () => {
    const { anyone } = here();
    const { csrf, cookie } = await signedUp(anyone);
    const made = await anyone.json(
      'POST',
      '/api/v1/keys',
      { name: 'production' },
      { cookie, 'X-CSRF-Token': csrf },
    );
    expect(made).toMatchObject({ status: 201, body: { name: 'production', mode: 'live', revoked_at: null } });
    const key = String(made.body['api_key']);
    expect((await anyone.as(key).get('/api/v1/usage')).status).toBe(200);
    const listed = await anyone.send('GET', '/api/v1/keys', undefined, { cookie });
    expect(listed.status).toBe(200);
    expect(JSON.stringify(listed.body)).not.toContain(key);
    expect(listed.body['keys']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'production', last_four: key.slice(-4) }),
      ]) as unknown,
    );
  });

  it('an account has at most three unrevoked keys, however many are asked for at once', async () => {
    const { anyone } = here();
    const { csrf, cookie } = await signedUp(anyone);
    const headers = { cookie, 'X-CSRF-Token': csrf };
    const make = (name: string) => anyone.json('POST', '/api/v1/keys', { name }, headers);
    const made = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(make));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409]);
    const first = made.find(({ status }) => status === 201)!;
    const revoked = await anyone.send(
      'DELETE',
      `/api/v1/keys/${String(first.body['id'])}`,
      undefined,
      headers,
    );
    expect(revoked.status).toBe(200);
    expect((await make('instead')).status).toBe(201);
  });

  it('revoking takes effect on every gateway within a second', async () => {
    const { customer, platform } = here();
    const { id, client } = await here().keyOf(customer);
    const gateways = ['gateway', 'gateway-2'].map((name) =>
      client.as(client.apiKey, platform.baseUrlOf(name)),
    );
    const statuses = async () =>
      Promise.all(gateways.map(async (one) => (await one.get('/v1/usage')).status));
    expect(await statuses()).toEqual([200, 200]);
    await here().revoke(id);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await statuses()).toEqual([401, 401]);
  });

  it('any key of the account sees its jobs', async () => {
    const { customer, jobId } = here();
    const { id, client } = await here().keyOf(customer);
    expect((await client.get(`/api/v1/jobs/${jobId}`)).status).toBe(200);
    await here().revoke(id);
  });

  it.each(JOB_ROUTES)(
    '%s %s: a job of another account does not exist, as one that never did and as what is no id',
    async (method, path) => {
      const { other, jobId } = here();
      const ask = (id: string) =>
        method === 'PATCH'
          ? other.json(method, path.replace('{job}', id), { speaker_names: {} })
          : other.send(method, path.replace('{job}', id));
      const answers = [await ask(jobId), await ask(UNKNOWN_ID), await ask('1'), await ask(`${jobId}0`)];
      for (const { status, body } of answers)
        expect({ status, body }).toEqual({ status: 404, body: { detail: 'Job not found' } });
    },
  );

  it('a test key runs the same pipeline on the first 60 seconds, and money is not touched', async () => {
    const someone = await here().newCustomer();
    const { client: tester } = await here().keyOf(someone, 'test');
    const before = (await someone.get('/api/v1/credit')).body;
    expect((await someone.transcribe(TWO_SECONDS)).status).toBe(402);
    const job = await tester.finished(await tester.submit({ name: 'long.wav', bytes: wav(61.9) }));
    expect(job).toMatchObject({ status: 'completed', audio_duration_seconds: 60, transcription: '' });
    expect((await someone.get('/api/v1/credit')).body).toEqual(before);
    expect((await someone.get('/api/v1/usage')).body['minutes_used']).toBe(0);
  });

  it('test keys have an allowance of audio a day; then comes a 402 that says so', async () => {
    const tester = await here().newCustomer({ mode: 'test' });
    const minute = quiet(60);
    const jobs = [];
    for (let seconds = 0; seconds < TEST_SECONDS_PER_DAY; seconds += 60)
      jobs.push(await tester.submit(minute));
    const refused = await tester.transcribe(minute);
    expect(refused.status).toBe(402);
    expect(refused.body['detail']).toMatch(
      /^The test keys of this account have used 3 min of the 3 min .* a day/,
    );
    await Promise.all(jobs.map((id) => tester.finished(id)));
    expect((await tester.get('/api/v1/jobs')).body['total']).toBe(jobs.length);
  });

  it('test jobs are visible to test keys only, live jobs to live keys only', async () => {
    const someone = await here().newCustomer({ freeMinutes: 1 });
    const { client: tester } = await here().keyOf(someone, 'test');
    const live = await someone.submit(TWO_SECONDS);
    const test = await tester.submit(TWO_SECONDS);
    await Promise.all([someone.finished(live), tester.finished(test)]);
    for (const [client, own, hidden] of [
      [someone, live, test],
      [tester, test, live],
    ] as const) {
      expect((await client.get(`/api/v1/jobs/${hidden}`)).body).toEqual({ detail: 'Job not found' });
      expect((await client.get(`/status/${hidden}`)).status).toBe(404);
      const { jobs } = (await client.get('/api/v1/jobs')).body as { jobs: { id: string }[] };
      expect(jobs.map(({ id }) => id)).toEqual([own]);
    }
  });
}

/** Somebody new on the dashboard. */
export async function signedUp(anyone: ContractClient): Promise<{ cookie: string; csrf: string }> {
  const email = `person-${Math.random().toString(36).slice(2)}@example.com`;
  const answer = await anyone.json('POST', '/api/v1/sign-up', {
    email,
    password: 'a long enough passphrase',
  });
  expect(answer.status).toBe(201);
  return {
    cookie: answer.headers.get('set-cookie')!.split(';')[0]!,
    csrf: String(answer.body['csrf_token']),
  };
}

async function gone(client: ContractClient): Promise<void> {
  expect((await eventually(client, 401)).status).toBe(401);
}

/** What was changed behind the gateway's back is known within the second for which it remembers a key. */
async function eventually(client: ContractClient, status: number) {
  const deadline = Date.now() + 2_000;
  for (;;) {
    const answer = await client.get('/api/v1/usage');
    if (answer.status === status || Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
