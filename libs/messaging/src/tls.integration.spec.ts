import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUserSeed, publicKeyOf } from './nkeys';
import { startTestBroker, type TestBroker } from './test-broker';

let folder: string;
let broker: TestBroker;
const seed = createUserSeed();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'currawong-tls-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=private',
  );
  openssl('req', ...key, '-keyout', 'nats.key', '-out', 'nats.csr', '-subj', '/CN=nats');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1');
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'nats.csr', ...signing, '-out', 'nats.pem');
  const config = join(folder, 'nats.conf');
  writeFileSync(
    config,
    `tls { cert_file: ${JSON.stringify(join(folder, 'nats.pem'))}, key_file: ${JSON.stringify(join(folder, 'nats.key'))} }
     authorization { users: [{ nkey: ${publicKeyOf(seed)} }] }`,
  );
  broker = await startTestBroker(['-c', config]);
});
afterAll(async () => {
  await broker?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Which authorities are trusted is settled when a process starts, so each attempt is one. */
function connectWith(environment: Record<string, string>): string {
  const script = `
    const { connectMessaging } = require(${JSON.stringify(join(__dirname, '..'))});
    const log = { warn: (_, sentence) => { console.log(sentence); process.exit(1); }, info() {} };
    connectMessaging({ url: process.env.URL, nkeySeed: process.env.SEED, name: 'tls', logger: log }).then(async (connection) => {
      await connection.nats.flush();
      console.log('connected');
      await connection.close();
    });`;
  const url = broker.url.replace('nats://', 'tls://');
  const env = { PATH: process.env['PATH'], URL: url, SEED: seed, ...environment };
  return spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env,
    timeout: 20_000,
  }).stdout.trim();
}

it('a broker whose certificate a private authority signed is trusted with NODE_EXTRA_CA_CERTS, by NKEY', () => {
  expect(connectWith({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })).toBe('connected');
});

it('and not without: the service waits and says why', () => {
  expect(connectWith({})).toMatch(/^The message broker cannot be reached at NATS_URL \(.*certificate.*\)\./);
});
