#!/usr/bin/env node
/**
 * Makes the secrets of an installation in AWS Secrets Manager of one region, with copies in the other. What is there
 * already is never replaced, except by --renew-nats, which keeps the users, adds those that a newer version has, and brings the
 * permissions of all up to date.
 *
 *   node k8s/secrets/make.mjs --region ap-southeast-2 --replica ap-southeast-4
 *   node k8s/secrets/make.mjs … --dry-run       says what it would make, and makes nothing
 *
 * Needs the program `aws`, signed in. Nothing secret is printed or put on a command line.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    region: { type: 'string' },
    replica: { type: 'string' },
    'postgres-host': { type: 'string', default: 'postgres-rw.currawong-data.svc' },
    'renew-nats': { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
  },
});
const australian = ['ap-southeast-2', 'ap-southeast-4'];
const folder = mkdtempSync(join(tmpdir(), 'currawong-secrets-'));
try {
  if (!australian.includes(values.region))
    throw new Error(`--region has to be one of ${australian.join(', ')}.`);
  if (values.replica !== undefined && !australian.includes(values.replica))
    throw new Error(`--replica has to be one of ${australian.join(', ')}.`);
  makeAll();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function makeAll() {
  const services = ['gateway', 'jobs', 'billing'];
  const roles = Object.fromEntries(
    services.map((service) => [
      service,
      ensure(`currawong/postgres/${service}`, () => ({
        username: service,
        password: randomBytes(24).toString('hex'),
      })),
    ]),
  );
  // sslmode=verify-full: the certificate is checked against the authority that NODE_EXTRA_CA_CERTS names.
  const url = ({ username, password }) =>
    `postgres://${username}:${password}@${values['postgres-host']}:5432/currawong?sslmode=verify-full`;
  ensure('currawong/databases', () =>
    Object.fromEntries(services.map((service) => [service, url(roles[service])])),
  );

  const seeds = read('currawong/nats');
  const users = makeUsers(seeds);
  if (!seeds) write('currawong/nats', users.seeds, 'create-secret');
  // A new user is of use only once the servers know it, and must not be made anew the next time.
  else if (values['renew-nats'] && Object.keys(users.seeds).some((user) => !(user in seeds)))
    write('currawong/nats', { ...seeds, ...users.seeds }, 'put-secret-value');
  const server = read('currawong/nats-server');
  if (!server) write('currawong/nats-server', users.server, 'create-secret');
  else if (values['renew-nats']) write('currawong/nats-server', users.server, 'put-secret-value');
}

/** The value that is there, else the one that is made. */
function ensure(name, make) {
  const found = read(name);
  if (found) return found;
  const made = make();
  write(name, made, 'create-secret');
  return made;
}

function read(name) {
  try {
    const text = aws('get-secret-value', '--secret-id', name, '--query', 'SecretString', '--output', 'text');
    return JSON.parse(text);
  } catch (error) {
    if (/ResourceNotFoundException/.test(String(error.stderr))) return undefined;
    throw new Error(`${name} could not be read: ${String(error.stderr || error.message).trim()}`);
  }
}

function write(name, value, how) {
  if (values['dry-run']) {
    process.stdout.write(`Would ${how === 'create-secret' ? 'make' : 'renew'} ${name}.\n`);
    return;
  }
  // From a file of ours: a command line can be read by every process of the machine.
  const file = join(folder, 'value.json');
  writeFileSync(file, JSON.stringify(value), { mode: 0o600 });
  const copies = values.replica ? ['--add-replica-regions', `Region=${values.replica}`] : [];
  if (how === 'create-secret') aws(how, '--name', name, '--secret-string', `file://${file}`, ...copies);
  else aws(how, '--secret-id', name, '--secret-string', `file://${file}`);
  process.stdout.write(`${how === 'create-secret' ? 'Made' : 'Renewed'} ${name}.\n`);
}

function makeUsers(seeds) {
  const program = fileURLToPath(new URL('../nats/make-users.mjs', import.meta.url));
  const words = [program, '--json'];
  if (seeds) {
    const file = join(folder, 'seeds.json');
    writeFileSync(file, JSON.stringify(seeds), { mode: 0o600 });
    words.push('--seeds', file);
  }
  return JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }));
}

function aws(...words) {
  return execFileSync('aws', ['secretsmanager', '--region', values.region, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
