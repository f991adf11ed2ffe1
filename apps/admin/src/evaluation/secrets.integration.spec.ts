import { NATS_PERMISSIONS } from '@currawong/contracts';
import { publicKeyOf } from '@currawong/messaging';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureEvaluationSecrets } from './ensure-secrets';
import { accessFromPod, SecretsApi, type ClusterAccess } from './secrets-api';

const NAMESPACE = 'trial';
const TOKEN = 'a-token';
const RELEASE = {
  fullname: 'currawong',
  release: 'currawong',
  postgresHost: 'currawong-postgres',
  permissions: NATS_PERMISSIONS,
};

interface SecretBody {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string; labels: Record<string, string> };
  data: Record<string, string>;
}

interface StoredSecret {
  labels: Record<string, string>;
  data: Record<string, string>;
}

/**
 * The part of the Kubernetes API that the program uses, over TLS and as strict as the real one: paths, media types, the shape
 * of a Secret, and which verbs the Role allows.
 */
class LocalApi {
  readonly secrets = new Map<string, StoredSecret>();
  allowed = ['get', 'create', 'patch'];
  /** Each call as `verb name`, in order. */
  readonly calls: string[] = [];
  /** Ends the connection of this call, counted from 1, before or after the change. */
  dieAt: { call: number; when: 'before' | 'after' } | undefined;
  /** So many answers that the server is busy come first. */
  busyAnswers = 0;

  private constructor(
    readonly server: Server,
    readonly ca: string,
  ) {
    server.on('request', (request, response) => {
      void this.answer(request).then(({ status, body }) => {
        if (status === 0) return request.socket.destroy();
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
  }

  static async start(): Promise<LocalApi> {
    const folder = mkdtempSync(join(tmpdir(), 'currawong-api-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-days', '1', '-subj', '/CN=kubernetes', '-addext', 'subjectAltName=IP:127.0.0.1'],
        ...['-keyout', key, '-out', cert],
      ],
      { stdio: 'ignore' },
    );
    const ca = readFileSync(cert, 'utf8');
    const api = new LocalApi(createServer({ key: readFileSync(key), cert: ca }), ca);
    rmSync(folder, { recursive: true });
    api.server.listen(0, '127.0.0.1');
    await once(api.server, 'listening');
    return api;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  access(changes: Partial<ClusterAccess> = {}): ClusterAccess {
    return {
      host: '127.0.0.1',
      port: this.port,
      namespace: NAMESPACE,
      token: TOKEN,
      ca: this.ca,
      ...changes,
    };
  }

  text(name: string, key: string): string {
    const value = this.secrets.get(name)?.data[key];
    if (value === undefined) throw new Error(`${name} has no ${key}`);
    return Buffer.from(value, 'base64').toString('utf8');
  }

  private async answer(request: IncomingMessage): Promise<{ status: number; body?: unknown }> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = (text === '' ? {} : JSON.parse(text)) as SecretBody;
    const [, name] =
      /^\/api\/v1\/namespaces\/trial\/secrets(?:\/([a-z0-9-]+))?$/.exec(request.url ?? '') ?? [];
    const verb = { GET: 'get', POST: 'create', PATCH: 'patch' }[request.method ?? ''] ?? '';
    const secret = name ?? body.metadata?.name ?? '';
    this.calls.push(`${verb} ${secret}`);
    const dies = this.dieAt?.call === this.calls.length ? this.dieAt.when : undefined;
    if (dies === 'before') return { status: 0 };
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return refusal(401, 'Unauthorized', 'Unauthorized');
    if (!this.allowed.includes(verb))
      return refusal(
        403,
        'Forbidden',
        `secrets is forbidden: User "trial" cannot ${verb} resource "secrets"`,
      );
    if (this.busyAnswers-- > 0) return refusal(429, 'TooManyRequests', 'the server is busy');
    const answered = this.change(verb, secret, request.headers['content-type'], body);
    return dies === 'after' ? { status: 0 } : answered;
  }

  private change(verb: string, name: string, type: string | undefined, body: SecretBody) {
    const found = this.secrets.get(name);
    if (verb === 'create') {
      const problem = problemOf(type, body);
      if (problem) return refusal(422, 'Invalid', problem);
      if (found) return refusal(409, 'AlreadyExists', `secrets "${name}" already exists`);
      this.secrets.set(name, { labels: body.metadata.labels, data: body.data });
      return { status: 201, body };
    }
    if (!found) return refusal(404, 'NotFound', `secrets "${name}" not found`);
    if (verb === 'patch') {
      if (type !== 'application/merge-patch+json') return refusal(415, 'UnsupportedMediaType', String(type));
      Object.assign(found.data, body.data);
    }
    return { status: 200, body: { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: found.data } };
  }
}

function problemOf(type: string | undefined, body: SecretBody): string | undefined {
  const { apiVersion, kind, metadata, data } = body;
  if (type !== 'application/json') return `media type ${type}`;
  if (apiVersion !== 'v1' || kind !== 'Secret' || metadata.namespace !== NAMESPACE)
    return 'no Secret of here';
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(metadata.name)) return `name ${metadata.name}`;
  const labels = Object.values(metadata.labels);
  if (labels.some((label) => !/^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/.test(label))) return 'labels';
  for (const [key, value] of Object.entries(data)) {
    if (!/^[-._a-zA-Z0-9]+$/.test(key)) return `key ${key}`;
    if (Buffer.from(value, 'base64').toString('base64') !== value) return `data of ${key}`;
  }
  return undefined;
}

function refusal(code: number, reason: string, message: string) {
  return {
    status: code,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code },
  };
}

let api: LocalApi;
beforeEach(async () => {
  api = await LocalApi.start();
});
afterEach(() => {
  api.server.close();
  api.server.closeAllConnections();
});

async function run(release: typeof RELEASE = RELEASE, access = api.access()): Promise<string[]> {
  const told: string[] = [];
  await ensureEvaluationSecrets(new SecretsApi(access, 1_000), release, (sentence) => told.push(sentence));
  return told;
}

/** Everything that is random, so that two states can be compared. */
function credentials() {
  return {
    databases: { ...api.secrets.get('currawong-databases')?.data },
    nats: { ...api.secrets.get('currawong-nats')?.data },
    store: { ...api.secrets.get('currawong-store')?.data },
    postgres: api.text('currawong-evaluation', 'postgres-password'),
  };
}

function expectOneWhole() {
  const conf = api.text('currawong-evaluation', 'nats-authorization.conf');
  for (const user of Object.keys(NATS_PERMISSIONS))
    expect(conf).toContain(`{ nkey: ${publicKeyOf(api.text('currawong-nats', user))}, permissions`);
  const sql = api.text('currawong-evaluation', 'roles.sql');
  for (const service of ['gateway', 'jobs', 'billing']) {
    const { username, password } = new URL(api.text('currawong-databases', service));
    expect(username).toBe(service);
    expect(sql).toContain(`PASSWORD '${password}'`);
  }
}

it('an empty namespace gets the four Secrets, labelled, and what the servers read fits what the services read', async () => {
  expect(await run()).toEqual(
    ['databases', 'nats', 'store', 'evaluation'].map((name) => `Made the Secret currawong-${name}.`),
  );
  expectOneWhole();
  expect(Object.keys(api.secrets.get('currawong-store')!.data)).toEqual(['access-key', 'secret-key']);
  for (const { labels } of api.secrets.values())
    expect(labels).toMatchObject({
      'app.kubernetes.io/name': 'currawong',
      'app.kubernetes.io/instance': 'currawong',
    });
});

it('a second run changes nothing and writes nothing', async () => {
  await run();
  const before = credentials();
  api.calls.length = 0;
  expect(await run()).toEqual([]);
  expect(credentials()).toEqual(before);
  expect(api.calls.filter((call) => !call.startsWith('get '))).toEqual([]);
});

it.each([1, 2, 3, 4, 5, 6, 7, 8].flatMap((call) => [[call, 'before'] as const, [call, 'after'] as const]))(
  'a run that ends at call %i, %s the change, is completed by the next one',
  async (call, when) => {
    // No second attempt: the run ends where its connection did.
    api.dieAt = { call, when };
    const once = ensureEvaluationSecrets(new SecretsApi(api.access(), -1), RELEASE, () => undefined);
    await expect(once).rejects.toThrow('cannot be used');
    const made = new Map([...api.secrets].map(([name, { data }]) => [name, { ...data }]));
    await run();
    expectOneWhole();
    for (const [name, data] of made) expect(api.secrets.get(name)?.data).toEqual(data);
  },
);

it('two runs at the same time end with one set', async () => {
  await Promise.all([run(), run(), run()]);
  expectOneWhole();
});

it('a subject more in a newer version renews the rules of the broker and no seed', async () => {
  await run();
  const before = credentials();
  const worker = { publish: { allow: ['work.news'] }, subscribe: { allow: [] } };
  expect(await run({ ...RELEASE, permissions: { ...NATS_PERMISSIONS, worker } })).toEqual([
    'Brought nats-authorization.conf of the Secret currawong-evaluation up to date.',
  ]);
  expect(api.text('currawong-evaluation', 'nats-authorization.conf')).toContain('"work.news"');
  expect(credentials()).toEqual(before);
});

it('a service more in a newer version gets a seed; those of the others stay', async () => {
  const { worker: _, ...before } = NATS_PERMISSIONS;
  await run({ ...RELEASE, permissions: before as typeof NATS_PERMISSIONS });
  const seeds = credentials().nats;
  expect(await run()).toEqual([
    'Added worker to the Secret currawong-nats.',
    'Brought nats-authorization.conf of the Secret currawong-evaluation up to date.',
  ]);
  expect(credentials().nats).toMatchObject(seeds);
  expectOneWhole();
});

it.each(['get', 'create', 'patch'])('a Role without %s is named', async (verb) => {
  await run();
  if (verb === 'create') api.secrets.clear();
  if (verb === 'patch') delete api.secrets.get('currawong-nats')!.data['worker'];
  api.allowed = api.allowed.filter((one) => one !== verb);
  await expect(run()).rejects.toThrow(
    new RegExp(`may not ${verb} the Secret .* needs the verb "${verb}" on the resource "secrets"`),
  );
});

it('a wrong token, a certificate of another authority and an unusable Secret are said as such', async () => {
  await expect(run(RELEASE, api.access({ token: 'old' }))).rejects.toThrow(
    'does not accept the service account',
  );
  const other = await LocalApi.start();
  other.server.close();
  await expect(run(RELEASE, api.access({ ca: other.ca }))).rejects.toThrow('cannot be used (self-signed');
  await run();
  api.secrets.get('currawong-nats')!.data['jobs'] = Buffer.from('SUNK').toString('base64');
  await expect(run()).rejects.toThrow('The Secret currawong-nats holds something unusable');
});

it('an API server that is busy for a moment is asked again', async () => {
  api.busyAnswers = 2;
  expect(await run()).toHaveLength(4);
});

it('outside of a pod, and in one without a token, it is said what is missing', () => {
  expect(() => accessFromPod(NAMESPACE, {})).toThrow('this program runs in a pod');
  const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
  expect(() => accessFromPod(NAMESPACE, environment, '/nowhere')).toThrow('automountServiceAccountToken');
});
