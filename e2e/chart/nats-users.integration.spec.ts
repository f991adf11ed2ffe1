import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NATS_PERMISSIONS } from '@currawong/contracts';
import { Keeper, loadSettings, pickPorts } from '@currawong/local-platform';
import { testServers } from '@currawong/testing';
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { parseAllDocuments } from 'yaml';

const repositoryFolder = join(__dirname, '..', '..');
const program = join(repositoryFolder, 'k8s', 'nats', 'make-users.mjs');
const makeUsers = (...words: string[]) =>
  execFileSync(process.execPath, [program, ...words], { encoding: 'utf8' });

const services = Object.keys(NATS_PERMISSIONS).sort();

interface Users {
  seeds: Record<string, string>;
  server: { 'authorization.conf': string };
}

// A server that is set up as k8s/nats/values.yaml sets up each of the three: TLS, JetStream, the users in a file beside
// the configuration.
describe('NATS with the users of k8s/nats/make-users.mjs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'currawong-nats-users-'));
  const users = JSON.parse(makeUsers('--json')) as Users;
  const caFile = join(folder, 'tls', 'ca.crt');
  const connections: NatsConnection[] = [];
  let keeper: Keeper;
  let port: number;

  beforeAll(async () => {
    for (const name of ['nats-config', 'nats-auth', 'tls', 'data']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'nats-auth', 'authorization.conf'), users.server['authorization.conf']);
    makeCertificates(join(folder, 'tls'));
    ({ nats: port } = await pickPorts(['nats'], loadSettings(folder).ports));
    writeFileSync(
      join(folder, 'nats-config', 'nats.conf'),
      [
        'include ../nats-auth/authorization.conf;',
        `listen: "127.0.0.1:${port}"`,
        `tls { cert_file: "${folder}/tls/tls.crt", key_file: "${folder}/tls/tls.key", ca_file: "${caFile}" }`,
        `jetstream { store_dir: "${folder}/data", sync_interval: always }`,
      ].join('\n'),
    );
    keeper = await Keeper.open(folder);
    keeper.start({
      name: 'nats',
      program: testServers().tools.natsServer,
      args: ['-c', join(folder, 'nats-config', 'nats.conf')],
      env: {},
      cwd: folder,
      logPath: join(folder, 'nats.log'),
      stage: 0,
      stopSignal: 'SIGTERM',
    });
  });

  afterAll(async () => {
    await Promise.all(connections.map((one) => one.close()));
    await keeper?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function as(seed: string, name = ''): Promise<NatsConnection> {
    const connection = await connect({
      servers: `tls://localhost:${port}`,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
      inboxPrefix: `_INBOX_${name}`,
      tls: { caFile },
      waitOnFirstConnect: true,
      maxReconnectAttempts: 50,
      reconnectTimeWait: 100,
    });
    connections.push(connection);
    return connection;
  }

  it('each service signs in with its seed, over TLS', async () => {
    expect(Object.keys(users.seeds).sort()).toEqual(services);
    for (const [name, seed] of Object.entries(users.seeds)) {
      expect((await as(seed, name)).isClosed()).toBe(false);
    }
  });

  it('the servers are told no seed', () => {
    const text = users.server['authorization.conf'];
    expect(text.match(/nkey: U[A-Z2-7]{55}\b/g)).toHaveLength(services.length);
    expect(text).not.toMatch(/SU[A-Z2-7]{56}/);
  });

  it('a seed that the servers do not know is refused', async () => {
    const stranger = (JSON.parse(makeUsers('--json')) as Users).seeds['gateway'] as string;
    await expect(
      connect({
        servers: `tls://localhost:${port}`,
        authenticator: nkeyAuthenticator(new TextEncoder().encode(stranger)),
        tls: { caFile },
        reconnect: false,
      }),
    ).rejects.toThrow(/Authorization Violation/i);
  });

  it('a worker may not ask billing for credit, whom the gateway may ask', async () => {
    const outcome = async (name: string) => {
      const connection = await as(users.seeds[name] as string, name);
      return connection.request('billing.add_credit', '{}', { timeout: 2_000 }).then(
        () => 'answered',
        (error: Error) => error.message,
      );
    };
    expect(await outcome('worker')).toMatch(/permissions violation/i);
    // Nobody listens here: the question was let through.
    expect(await outcome('gateway')).toMatch(/no responders/i);
  });

  it('a client that is told of the authority by NODE_EXTRA_CA_CERTS trusts the servers, and no other does', async () => {
    const script = `
      import('@nats-io/transport-node').then(async ({ connect, nkeyAuthenticator }) => {
        const seed = new TextEncoder().encode(process.env.SEED);
        const nats = await connect({ servers: 'tls://localhost:${port}', authenticator: nkeyAuthenticator(seed), reconnect: false });
        await nats.flush();
        await nats.close();
      }).catch((error) => { console.error(error.message); process.exit(1); });`;
    const env = { PATH: process.env['PATH'], SEED: users.seeds['worker'] };
    const run = (extra: NodeJS.ProcessEnv) =>
      promisify(execFile)(process.execPath, ['-e', script], {
        cwd: repositoryFolder,
        env: { ...env, ...extra },
      });
    await run({ NODE_EXTRA_CA_CERTS: caFile });
    await expect(run({})).rejects.toThrow(/certificate/);
  });
});

describe('make-users.mjs', () => {
  it('prints two Secrets: the seeds for the services, their public halves for the servers', () => {
    const [seeds, server] = parseAllDocuments(makeUsers()).map((document) => document.toJS());
    expect(seeds).toMatchObject({
      kind: 'Secret',
      metadata: { name: 'currawong-nats', namespace: 'currawong' },
    });
    expect(server).toMatchObject({ metadata: { name: 'nats-server', namespace: 'currawong-data' } });
    expect(server.stringData['authorization.conf']).toContain('authorization {');
  });

  it('keeps the seeds that it is given, and with them the users', () => {
    const folder = mkdtempSync(join(tmpdir(), 'currawong-nats-seeds-'));
    try {
      const before = JSON.parse(makeUsers('--json')) as Users;
      const { gateway: _left, ...others } = before.seeds;
      writeFileSync(join(folder, 'seeds.json'), JSON.stringify(others));
      const after = JSON.parse(makeUsers('--json', '--seeds', join(folder, 'seeds.json'))) as Users;
      expect(after.seeds).toMatchObject(others);
      expect(after.seeds['gateway']).not.toBe(before.seeds['gateway']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says which seed is unusable', () => {
    const folder = mkdtempSync(join(tmpdir(), 'currawong-nats-seeds-'));
    try {
      writeFileSync(join(folder, 'seeds.json'), '{"jobs": "SUNOTASEED"}');
      const { status, stderr } = spawnSync(
        process.execPath,
        [program, '--seeds', join(folder, 'seeds.json')],
        {
          encoding: 'utf8',
        },
      );
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining('The seed of jobs is not that of a NATS user'),
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('the values of the servers include the file at the place where its Secret is mounted', () => {
    const values = readFileSync(join(repositoryFolder, 'k8s', 'nats', 'values.yaml'), 'utf8');
    expect(values).toContain('$include: ../nats-auth/authorization.conf');
    expect(values).toContain('mountPath: /etc/nats-auth');
    expect(values).toContain('sync_interval: always');
  });
});

/** An authority and a certificate for localhost, by openssl. */
function makeCertificates(folder: string): void {
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=test authority');
  openssl(
    ...['req', '-x509', ...key, '-CA', 'ca.crt', '-CAkey', 'ca.key', '-keyout', 'tls.key', '-out', 'tls.crt'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
  );
}
