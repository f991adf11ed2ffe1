import { startPlatform, type TestPlatform } from '@currawong/testing';
import { Client } from '../client';
import { eventually, Person, query, type CreatedKey } from './person';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform({ services: ['billing', 'jobs', 'gateway', 'gateway-2'] });
}, 120_000);

afterAll(() => platform?.stop());

interface Key {
  id: string;
  name: string;
  mode: string;
  prefix: string;
  last_four: string;
  last_used_at: string | null;
  revoked_at: string | null;
}

async function someone(): Promise<Person> {
  const person = new Person(platform.baseUrl);
  await person.signUp();
  return person;
}

const keysOf = async (person: Person) => (await person.get<{ keys: Key[] }>('/api/v1/keys')).body.keys;
const usage = (apiKey: string, gateway = 'gateway') =>
  new Client(platform.baseUrlOf(gateway), apiKey).get('/api/v1/usage');

it('a key works as soon as it is made, is shown whole once, and is refused everywhere within a second of its end', async () => {
  const person = await someone();
  const made = await person.send<CreatedKey & Key>('POST', '/api/v1/keys', { name: ' lab ', mode: 'live' });
  expect(made.status).toBe(201);
  const { api_key, ...shown } = made.body;
  expect(api_key).toMatch(/^sk_live_/);
  expect(shown).toMatchObject({ name: 'lab', mode: 'live', last_used_at: null, revoked_at: null });
  expect(await keysOf(person)).toEqual([shown]);
  for (const gateway of ['gateway', 'gateway-2']) expect((await usage(api_key, gateway)).status).toBe(200);
  const revoked = await person.send<Key>('DELETE', `/api/v1/keys/${made.body.id}`);
  expect(revoked.status).toBe(200);
  expect(revoked.body.revoked_at).not.toBeNull();
  await Promise.all(
    ['gateway', 'gateway-2'].map((gateway) =>
      eventually(async () => (await usage(api_key, gateway)).status === 401, 'the key is refused', 1),
    ),
  );
  // Again changes nothing.
  const again = await person.send<Key>('DELETE', `/api/v1/keys/${made.body.id}`);
  expect(again.body).toEqual({ ...revoked.body, last_used_at: again.body.last_used_at });
});

it('twenty keys asked for at once leave three, and three refusals less a revoked one make room for one', async () => {
  const person = await someone();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      person.send<CreatedKey>('POST', '/api/v1/keys', { name: `key ${index}` }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...Array<number>(3).fill(201),
    ...Array<number>(17).fill(409),
  ]);
  expect(await keysOf(person)).toHaveLength(3);
  const { id } = answers.find(({ status }) => status === 201)!.body;
  await person.send('DELETE', `/api/v1/keys/${id}`);
  expect((await person.send('POST', '/api/v1/keys', { name: 'the fourth' })).status).toBe(201);
  expect((await person.send('POST', '/api/v1/keys', { name: 'the fifth' })).status).toBe(409);
  expect((await keysOf(person)).filter((key) => key.revoked_at === null)).toHaveLength(3);
});

it('every key that works is shown, and of those that were revoked the newest hundred', async () => {
  const person = await someone();
  const { id } = await person.createKey('works');
  await query(
    platform.databaseUrl,
    `INSERT INTO accounts.api_keys (id, account_id, name, mode, key_hash, prefix, last_four, created_at, revoked_at)
     SELECT gen_random_uuid(), k.account_id, 'revoked ' || n, 'live', sha256((k.id || ' ' || n)::bytea), 'sk_live_', 'abcd',
            now() + make_interval(secs => n), now() + make_interval(secs => n)
       FROM accounts.api_keys k, generate_series(1, 120) n WHERE k.id = $1`,
    [id],
  );
  expect((await keysOf(person)).map(({ name }) => name)).toEqual([
    'works',
    ...Array.from({ length: 100 }, (_, index) => `revoked ${index + 21}`),
  ]);
});

it('the key of somebody else does not exist, like one that never did', async () => {
  const [owner, stranger] = [await someone(), await someone()];
  const { id, api_key } = await owner.createKey();
  const refused = await stranger.send('DELETE', `/api/v1/keys/${id}`);
  expect(refused.status).toBe(404);
  for (const other of ['01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55', 'nothing'])
    expect(await stranger.send('DELETE', `/api/v1/keys/${other}`)).toMatchObject({
      status: 404,
      body: refused.body,
    });
  expect((await usage(api_key)).status).toBe(200);
});

it('a key is known to have been used, to the minute, within seconds', async () => {
  const person = await someone();
  const used = await person.createKey('used');
  await person.createKey('unused');
  await usage(used.api_key);
  const keys = await eventually(async () => {
    const found = await keysOf(person);
    return found.some((key) => key.last_used_at !== null) && found;
  }, 'the use is written');
  expect(keys.map(({ name, last_used_at }) => [name, last_used_at !== null])).toEqual([
    ['used', true],
    ['unused', false],
  ]);
  expect(keys[0]!.last_used_at).toMatch(/T\d\d:\d\d:00\.000Z$/);
});

it('the use of a key is written before the gateway ends', async () => {
  const person = await someone();
  const { id, api_key } = await person.createKey();
  await usage(api_key, 'gateway-2');
  await platform.halt('gateway-2');
  const [row] = await query<{ last_used_at: Date | null }>(
    platform.databaseUrl,
    'SELECT last_used_at FROM accounts.api_keys WHERE id = $1',
    [id],
  );
  expect(row!.last_used_at).not.toBeNull();
  await platform.resume('gateway-2');
}, 60_000);

it.each([
  [{ name: '' }, /^name: /],
  [{ name: 'x'.repeat(101) }, /^name: /],
  [{ name: 'k', mode: 'other' }, /^mode: must be live or test/],
  [{}, /^name: /],
])('a key that is asked for wrongly is refused with the field: %j', async (body, sentence) => {
  const person = await someone();
  const answer = await person.send('POST', '/api/v1/keys', body);
  expect(answer.status).toBe(400);
  expect(answer.body['detail']).toMatch(sentence);
});
