import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCHEMA_OWNERS, type SchemaOwner } from '@currawong/contracts';
import { createObjectStore } from '@currawong/object-store';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { eventually, Person, query } from '../accounts/person';
import { Client } from '../client';
import { wav } from '../recordings';
import type { IdKind } from './id-kinds';
import { publishedRoutes, VERBS, type PublishedOperation, type PublishedPath } from './published-routes';
import { ask, hangUp, type RawAnswer, type RawRequest } from './raw-request';

// Every path that the gateway publishes × every verb × every kind of foreign id, as key and as session. A route that is
// added is tried without a change here; where its ids are of a new kind, the test fails and says so.

jest.setTimeout(600_000);

/** Those that anyone may ask, by what they are for. One that is added stands here because somebody wants it open. */
const OPEN_TO_ANYONE = new Set([
  'GET /health',
  'GET /health/live',
  'GET /openapi.json',
  'GET /sign-in-options',
  'POST /sign-up',
  'POST /session',
  'POST /password-reset',
  'POST /password-reset/confirm',
  'GET /oidc/start',
  'GET /oidc/callback',
]);
/** Whoever calls this proves it by a signature over the body. */
const SIGNED = new Set(['POST /payment-events']);
/** What grows with the owner's own doings, and what tells of the platform instead of the owner. */
const NOT_THE_OWNERS = /\/(audit-log|languages|queue\/status|events)$/;

interface Caller {
  who: string;
  headers: (method: string) => Record<string, string>;
}
type Ids = Record<IdKind, string>;

let platform: TestPlatform;
let receiver: Server;
let routes: PublishedPath[];
let owner: Person;
let ownerKey: Client;
/** Another account, which may do everything to what is its own. */
let strangers: Caller[];
/** The owner's own test key and page in test mode, for which live jobs do not exist. */
let inOtherMode: Caller[];
/** Of the owner: a finished job with its recording and transcript, and a key. */
let finished: Ids;
/** The same with a job that no worker has taken yet. */
let waiting: Ids;

beforeAll(async () => {
  receiver = createServer((_, response) => response.end());
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  platform = await startPlatform({
    services: ['billing', 'jobs', 'worker', 'gateway', 'webhooks'],
    // The owner's receiver is on this machine.
    env: { RECOGNIZER: 'null', OUTBOUND_ALLOWED_ADDRESSES: '127.0.0.1/32' },
  });
  routes = await publishedRoutes(platform.baseUrl);
  owner = await signedUp();
  const stranger = await signedUp();
  const [live, test, strangerLive, strangerTest] = [
    await owner.createKey('live'),
    await owner.createKey('test', 'test'),
    await stranger.createKey('live'),
    await stranger.createKey('test', 'test'),
  ];
  ownerKey = new Client(platform.baseUrl, live.api_key);
  const { port } = receiver.address() as AddressInfo;
  const webhook = await owner.send('PUT', '/api/v1/webhooks', { url: `http://127.0.0.1:${port}/` });
  expect(webhook.status).toBe(200);
  const done = await ownerKey.submit({ name: 'done.wav', bytes: wav(2) });
  await ownerKey.finished(done);
  const delivery = await eventually(async () => {
    const { body } = await ownerKey.get('/api/v1/webhooks/deliveries?status=delivered');
    return (body['deliveries'] as { id: string }[])[0]?.id;
  }, 'the end of the job is told to the owner’s receiver');
  const begun = await owner.send('POST', '/api/v1/uploads', { filename: 'a.wav', size_bytes: 1_000 });
  expect(begun.status).toBe(201);
  const shared = { upload: String(begun.body['upload_id']), delivery, model: 'whisper-1' };
  await platform.halt('worker');
  const pending = await ownerKey.submit({ name: 'waiting.wav', bytes: wav(2) });
  const [newest, ...older] = await ownersAuditEntries();
  finished = { ...shared, job: done, key: live.id, event: older.at(-1)! };
  waiting = { ...shared, job: pending, key: test.id, event: newest! };
  strangers = [
    withKey('another account’s live key', strangerLive.api_key),
    withKey('another account’s test key', strangerTest.api_key),
    withSession('another account’s session', stranger),
    withSession('another account’s session in test mode', stranger, { 'X-Currawong-Mode': 'test' }),
  ];
  inOtherMode = [
    withKey('the owner’s test key', test.api_key),
    withSession('the owner’s session in test mode', owner, { 'X-Currawong-Mode': 'test' }),
  ];
}, 120_000);

afterAll(async () => {
  hangUp();
  receiver?.close();
  await platform?.stop();
});

it('for everybody else a thing of this account answers like one that never was, on every route and verb', async () => {
  const before = await ownersView();
  const found = [];
  for (const caller of strangers) found.push(await comparison(caller, ['job', 'key', 'upload', 'delivery']));
  // Keys are the account's, whichever mode its page is in.
  for (const caller of inOtherMode) found.push(await comparison(caller, ['job', 'upload', 'delivery']));
  expect(found.flatMap(({ differences }) => differences)).toEqual([]);
  expect(found.reduce((sum, { asked }) => sum + asked, 0)).toBeGreaterThan(1_000);
  // The worker is away: nothing else may have changed it.
  expect(await ownersView()).toEqual(before);
});

it('the comparison finds whoever can see something: here the owner, at every address of a job', async () => {
  const { differences } = await comparison(
    withKey('the owner', ownerKey.apiKey!),
    ['job', 'delivery'],
    ['GET'],
  );
  const unnoticed = routes
    .filter(({ ids }) => ids.some(({ kind }) => kind === 'job' || kind === 'delivery'))
    .filter(({ operations }) => operations.some(({ method }) => method === 'GET'))
    // There is a receipt only of what was deleted.
    .filter(({ path }) => !path.endsWith('/deletion'))
    .filter(({ path }) => !differences.some((line) => line.includes(`GET ${path} with the finished one`)));
  expect(unnoticed.map(({ path }) => path)).toEqual([]);
});

it('nor does an id of this account tell anything in a query or in a body', async () => {
  const before = await ownersView();
  const differences: string[] = [];
  for (const caller of [...strangers, ...inOtherMode]) {
    // Keys and the entries of the audit log are the account's, whichever mode its page is in.
    const kinds: IdKind[] = inOtherMode.includes(caller)
      ? ['job', 'upload']
      : ['job', 'key', 'event', 'upload', 'delivery'];
    for (const route of routes.filter(({ ids }) => ids.length === 0)) {
      for (const operation of route.operations) {
        for (const field of operation.idFields.filter(({ kind }) => kinds.includes(kind))) {
          const answerTo = (ids: Ids) =>
            ask(platform.baseUrl, withField(caller, route, operation, field, ids[field.kind]));
          for (const [what, ids] of Object.entries({ finished, waiting })) {
            const expected = await answerTo(nobodys(ids));
            const answer = await answerTo(ids);
            if (!isEqual(answer, expected))
              differences.push(described(caller, operation.method, route.path, what, answer, expected));
          }
        }
      }
    }
  }
  expect(differences).toEqual([]);
  expect(await ownersView()).toEqual(before);
});

it('what is no id at all, or an id written oddly, is not found either and never breaks anything', async () => {
  const odd = [
    ...[
      '0',
      '-1',
      'null',
      'undefined',
      '%00',
      '%20',
      '*',
      "'",
      '%27%20OR%201=1--',
      '..%2f..%2fhealth',
      '%2e%2e',
    ],
    ...[
      `${finished.job}%00`,
      `${finished.job}.json`,
      `%20${finished.job}`,
      `{${finished.job}}`,
      `${finished.job},`,
    ],
    ...[
      `urn:uuid:${finished.job}`,
      finished.job.replaceAll('-', ''),
      `${finished.job}/..`,
      'a'.repeat(4_000),
    ],
    ...['%ff%fe', '%E2%80%AE', '__proto__', 'constructor', '[object%20Object]', '%5B%5D', '%c0%ae%c0%ae'],
  ];
  const [key, , session] = strangers as [Caller, Caller, Caller, Caller];
  const wrong: string[] = [];
  for (const caller of [key, session]) {
    for (const route of routes.filter(({ ids }) => ids.length > 0)) {
      for (const method of ['GET', 'PATCH', 'POST', 'DELETE']) {
        for (const text of odd) {
          const path = route.ids.reduce((so, { name }) => so.replace(`{${name}}`, text), route.path);
          const answer = await ask(platform.baseUrl, { method, path, headers: caller.headers(method) });
          if (answer.status < 400 || answer.status >= 500)
            wrong.push(`${caller.who}: ${method} ${path} → ${answer.status} ${answer.body}`);
        }
      }
    }
  }
  expect(wrong).toEqual([]);
});

it('an id in upper case is the same id to its owner, and nobody’s to the others', async () => {
  const path = `/api/v1/jobs/${finished.job.toUpperCase()}`;
  const own = await ownerKey.get(path);
  expect([200, 404]).toContain(own.status);
  const [{ headers }] = strangers as [Caller];
  expect(await ask(platform.baseUrl, { method: 'GET', path, headers: headers('GET') })).toEqual(
    await ask(platform.baseUrl, {
      method: 'GET',
      path: `/api/v1/jobs/${nobodys(finished).job}`,
      headers: headers('GET'),
    }),
  );
});

it('without a key and a session every route refuses, but those that are open on purpose', async () => {
  const wrong: string[] = [];
  const credentials: Record<string, string>[] = [
    {},
    { 'X-API-Key': '' },
    { 'X-API-Key': `sk_live_${'a'.repeat(38)}` },
    { Authorization: 'Bearer nonsense' },
    { Cookie: 'currawong_session=nonsense; __Host-currawong_session=nonsense' },
    // What a proxy in front might be told by, and what must not count here.
    {
      'X-Forwarded-User': owner.email,
      'X-Account-Id': 'me',
      'X-Original-URL': '/health',
      'X-Rewrite-URL': '/health',
    },
  ];
  for (const route of routes) {
    for (const operation of route.operations) {
      const name = `${operation.method} ${route.path.replace(/^\/(api\/)?v1/, '')}`;
      if (operation.isOpen) {
        if (!OPEN_TO_ANYONE.has(name))
          wrong.push(`${name} is open to anyone and not in the list of those that may be`);
        continue;
      }
      if (SIGNED.has(name)) continue;
      for (const headers of credentials) {
        const path = filled(route, finished);
        const { status, body } = await ask(platform.baseUrl, { method: operation.method, path, headers });
        // The routes that speak as OpenAI's say it in its form as well.
        const says = Object.keys(JSON.parse(body) as object).join();
        const isRefused = status === 401 && (says === 'detail' || says === 'detail,error');
        if (!isRefused) wrong.push(`${name} with ${JSON.stringify(headers)} → ${status} ${body}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

it('a verb cannot be smuggled in by a header, a field or a parameter', async () => {
  const before = await ownersView();
  for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])
    for (const path of [`/api/v1/jobs/${finished.job}`, `/api/v1/jobs/${finished.job}?_method=DELETE`]) {
      const headers = { 'X-API-Key': ownerKey.apiKey!, [name]: 'DELETE' };
      expect((await ask(platform.baseUrl, { method: 'GET', path, headers })).status).toBe(200);
      const form = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' };
      const posted = await ask(platform.baseUrl, {
        method: 'POST',
        path,
        headers: form,
        body: '_method=DELETE',
      });
      expect(posted.status).toBe(405);
    }
  expect(await ownersView()).toEqual(before);
});

it('a page of another site can do nothing with the session: every change wants the token', async () => {
  const wrong: string[] = [];
  for (const route of routes) {
    for (const operation of route.operations) {
      if (!operation.takesSession || operation.method === 'GET') continue;
      for (const token of [undefined, '', 'x', `${owner.csrfToken}x`]) {
        const headers = {
          Cookie: owner.cookieHeader(),
          'Content-Type': 'application/json',
          ...(token !== undefined && { 'X-CSRF-Token': token }),
        };
        const sent = { method: operation.method, path: filled(route, finished), headers, body: '{}' };
        const { status, body } = await ask(platform.baseUrl, sent);
        if (status !== 403) wrong.push(`${operation.method} ${route.path} → ${status} ${body}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

it('no answer says what the server is made of, and none may be guessed at, framed or kept', async () => {
  const paths = [
    '/health',
    '/api/v1/usage',
    '/api/v1/openapi.json',
    '/docs',
    '/dashboard/',
    '/nothing',
    '/api/v1/%',
  ];
  for (const path of [...paths, `/api/v1/jobs/${finished.job}`, `/api/v1/jobs/${finished.job}/audio`]) {
    const { headers } = await ask(platform.baseUrl, {
      method: 'GET',
      path,
      headers: { 'X-API-Key': ownerKey.apiKey! },
    });
    expect([path, headers['server'], headers['x-powered-by']]).toEqual([path, undefined, undefined]);
    expect([path, headers]).toEqual([
      path,
      expect.objectContaining({
        'x-content-type-options': 'nosniff',
        'referrer-policy': expect.stringMatching(/^(no-referrer|same-origin)$/) as string,
        // The document of the interface is for everybody's tools.
        'cross-origin-resource-policy': path.endsWith('/openapi.json') ? 'cross-origin' : 'same-origin',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'") as string,
      }) as unknown,
    ]);
    expect([path, headers['access-control-allow-origin']]).toEqual([
      path,
      path.endsWith('/openapi.json') ? '*' : undefined,
    ]);
  }
});

/** Where the answers for these ids and for nobody's are not the same to the byte. */
async function comparison(
  caller: Caller,
  kinds: readonly IdKind[],
  verbs: readonly string[] = VERBS,
): Promise<{ differences: string[]; asked: number }> {
  const differences: string[] = [];
  let asked = 0;
  for (const route of routes.filter(({ ids }) => ids.some(({ kind }) => kinds.includes(kind)))) {
    for (const method of verbs) {
      for (const body of bodiesFor(route, method)) {
        const answerTo = (ids: Ids) => {
          asked++;
          return ask(platform.baseUrl, {
            method,
            path: filled(route, ids),
            headers: { ...caller.headers(method), ...body.headers },
            ...(body.text !== undefined && { body: body.text }),
          });
        };
        for (const [what, ids] of Object.entries({ finished, waiting })) {
          const expected = await answerTo(nobodys(ids));
          if (isRead(method) && expected.status < 400 && method !== 'OPTIONS')
            differences.push(`${caller.who}: ${method} ${route.path} answers ${expected.status} for nothing`);
          const answer = await answerTo(ids);
          if (!isEqual(answer, expected))
            differences.push(described(caller, method, route.path, what, answer, expected));
        }
      }
    }
  }
  return { differences, asked };
}

describe('in the database', () => {
  const services = Object.keys(SCHEMA_OWNERS) as SchemaOwner[];

  it.each(services)('%s signs in as itself and can touch nothing of the others', async (service) => {
    const url = platform.serviceUrls![service];
    const { username } = new URL(url);
    const others = services.filter((other) => other !== service).map((other) => SCHEMA_OWNERS[other]);
    const tables = await query<{ schema: string; name: string }>(
      platform.databaseUrl,
      'SELECT schemaname AS schema, tablename AS name FROM pg_tables WHERE schemaname = ANY($1)',
      [others],
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { schema, name } of tables) {
      for (const sql of [`SELECT 1 FROM ${schema}.${name}`, `DELETE FROM ${schema}.${name}`])
        await expect(query(url, sql)).rejects.toThrow(/permission denied for schema/);
    }
    for (const schema of [...others, 'public'])
      await expect(query(url, `CREATE TABLE ${schema}.intruder (id int)`)).rejects.toThrow(
        /permission denied/,
      );
    await expect(query(url, 'SET ROLE currawong')).rejects.toThrow(/permission denied|does not exist/);
    await expect(query(url, `CREATE ROLE intruder`)).rejects.toThrow(/permission denied/);
    await expect(query(url, `COPY (SELECT 1) TO PROGRAM 'true'`)).rejects.toThrow(/must be superuser/);
    await expect(query(url, `SELECT pg_read_file('/etc/passwd')`)).rejects.toThrow(/permission denied/);
    // And this is who the service really is.
    const connected = await query<{ who: string }>(
      platform.databaseUrl,
      'SELECT DISTINCT usename AS who FROM pg_stat_activity WHERE datname = current_database()',
    );
    expect(connected.map(({ who }) => who)).toContain(username);
  });
});

async function signedUp(): Promise<Person> {
  const person = new Person(platform.baseUrl);
  await person.signUp();
  return person;
}

function withKey(who: string, key: string): Caller {
  return { who, headers: () => ({ 'X-API-Key': key }) };
}

function withSession(who: string, person: Person, more: Record<string, string> = {}): Caller {
  return {
    who,
    headers: (method) => ({
      Cookie: person.cookieHeader(),
      ...(!isRead(method) && { 'X-CSRF-Token': person.csrfToken! }),
      ...more,
    }),
  };
}

/** No body, and where the document has an example, that one: with it the request gets as far as to look for its id. */
function bodiesFor(
  route: PublishedPath,
  method: string,
): { text?: string; headers?: Record<string, string> }[] {
  const example = route.operations.find((operation) => operation.method === method)?.exampleBody;
  if (isRead(method) || method === 'TRACE') return [{}];
  const headers = { 'Content-Type': 'application/json' };
  return [{}, { text: JSON.stringify(example ?? {}), headers }];
}

function withField(
  caller: Caller,
  route: PublishedPath,
  { method, exampleBody }: PublishedOperation,
  { place, name }: PublishedOperation['idFields'][number],
  id: string,
): RawRequest {
  const headers = caller.headers(method);
  if (place === 'query') return { method, path: `${route.path}?${name}=${id}`, headers };
  if (place === 'json')
    return {
      method,
      path: route.path,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...exampleBody, [name]: id }),
    };
  const body = `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${id}\r\n--b--\r\n`;
  const type = 'multipart/form-data; boundary=b';
  return { method, path: route.path, headers: { ...headers, 'Content-Type': type }, body };
}

/** All that the owner can see, as key and as session, and what lies in the store. */
async function ownersView(): Promise<Record<string, unknown>> {
  // The use of a key is written down a moment after it.
  await sleep(200);
  const key: Caller = withKey('the owner', ownerKey.apiKey!);
  const session = withSession('the owner', owner);
  const view: Record<string, unknown> = {};
  for (const route of routes.filter(({ path }) => path.startsWith('/api/v1/'))) {
    for (const operation of route.operations) {
      if (operation.method !== 'GET' || operation.isOpen || NOT_THE_OWNERS.test(route.path)) continue;
      for (const ids of route.ids.length > 0 ? [finished, waiting] : [finished]) {
        const { headers } = operation.takesKey ? key : session;
        const path = filled(route, ids);
        const answer = await ask(platform.baseUrl, { method: 'GET', path, headers: headers('GET') });
        view[path] = [answer.status, steady(answer.body)];
      }
    }
  }
  const store = createObjectStore({ ...platform.s3 });
  const objects: string[] = [];
  for await (const { key: name } of store.list('')) objects.push(name);
  store.close();
  return { ...view, objects };
}

/** Without what goes on with time. */
function steady(body: string): string {
  return body.replace(
    /"(last_used_at|estimated_completion_at|queue_position)":("[^"]*"|\d+|null)/g,
    '"$1":0',
  );
}

function filled({ path, ids }: PublishedPath, values: Ids): string {
  return ids.reduce((so, { name, kind }) => so.replace(`{${name}}`, values[kind]), path);
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

function isEqual(one: RawAnswer, other: RawAnswer): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function described(
  { who }: Caller,
  method: string,
  path: string,
  what: string,
  answer: RawAnswer,
  expected: RawAnswer,
): string {
  return `${who}: ${method} ${path} with the ${what} one: ${JSON.stringify(answer)} instead of ${JSON.stringify(expected)}`;
}

/** Ids that nobody has, of the same moment as these: not by their order either can the two be told apart. */
function nobodys(ids: Ids): Ids {
  const unused = (id: string) => id.slice(0, 24) + randomUUID().slice(24);
  return Object.fromEntries(
    Object.entries(ids).map(([kind, id]) => [kind, kind === 'model' ? id : unused(id)]),
  ) as Ids;
}

async function ownersAuditEntries(): Promise<string[]> {
  const { body } = await owner.get<{ entries: { id: string }[] }>('/api/v1/account/audit-log');
  return body.entries.map(({ id }) => id);
}
