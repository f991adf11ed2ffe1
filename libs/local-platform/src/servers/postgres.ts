import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { pickPorts } from '../ports';
import { stopStage } from '../processes/keeper';
import { identify } from '../processes/identity';
import { Supervised } from '../processes/supervised';
import { saveSettings } from '../settings';
import { SetupError } from '../setup-error';
import { runCommand, tail } from '../tooling/commands';
import { findPostgres, type PostgresBinaries } from './postgres-binaries';
import { choosePostgresHome, giveTo, type PostgresOwner, postgresOwner } from './postgres-home';
import { makeRoles, serviceUrls, type ServiceUrls } from './service-roles';
import { type Embedded, type ServerContext, waitUntilAnswers } from './server-context';

/** The superuser, by whom the services' roles are made. */
const user = 'currawong';
const database = 'currawong';

/**
 * Starts the embedded Postgres over its data folder, made on first use; gives its connection address. `parameters` are
 * further ones of postgresql.conf.
 */
export async function startPostgres(
  context: ServerContext,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Embedded<string>> {
  const { settings, dataFolder, keeper, logFolder } = context;
  const owner = postgresOwner();
  const home = settings.postgresHome ?? choosePostgresHome(dataFolder, owner);
  settings.postgresHome = home;
  saveSettings(dataFolder, settings);
  const folder = join(home, 'postgres');
  const toolsFolder = home === dataFolder ? context.toolsFolder : home;
  const binaries = await binariesFor(folder, toolsFolder);

  if (!existsSync(folder)) await createDataFolder(folder, binaries, owner, settings.secrets.postgresPassword);
  await clearStalePidFile(folder);
  const { postgres: port } = await pickPorts(['postgres'], settings.ports);
  settings.ports['postgres'] = port;
  const logPath = join(logFolder, 'postgres.log');
  const server = new Supervised(keeper, {
    name: 'postgres',
    program: binaries.postgres,
    args: ['-D', folder, ...serverSettings(port, parameters)],
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
    cwd: folder,
    logPath,
    stage: stopStage.server,
    stopSignal: 'SIGINT',
    ...owner,
  });
  server.start();
  const url = (name: string) =>
    `postgres://${user}:${settings.secrets.postgresPassword}@127.0.0.1:${port}/${name}`;
  const waitUntilReady = (toleratedEndings = 5) =>
    waitUntilAnswers(server, () => withClient(url('postgres'), async () => true), { toleratedEndings });
  await waitUntilReady(0);
  await withClient(url('postgres'), async (client) => {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  });
  return { address: url(database), process: server, waitUntilReady };
}

/** The addresses at which the services sign in, each as a role that owns its schema and sees no other. */
export async function embeddedRoles(
  address: string,
  { dataFolder, settings }: ServerContext,
): Promise<ServiceUrls> {
  const passwords = (settings.secrets.rolePasswords ??= {});
  const urls = serviceUrls(address, (service) => (passwords[service] ??= randomBytes(18).toString('hex')));
  saveSettings(dataFolder, settings);
  await makeRoles(address, urls);
  return urls;
}

function serverSettings(port: number, parameters: Readonly<Record<string, string>>): string[] {
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    // No socket file: its path may be at most 107 bytes long, and a repository may lie deeper.
    unix_socket_directories: '',
    shared_buffers: '128MB',
    max_connections: '200',
    // What is transcribed and paid here is real, also on a laptop.
    fsync: 'on',
    logging_collector: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...parameters,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function binariesFor(folder: string, toolsFolder: string): Promise<PostgresBinaries> {
  const versionPath = join(folder, 'PG_VERSION');
  const major = existsSync(versionPath) ? Number.parseInt(readFileSync(versionPath, 'utf8'), 10) : undefined;
  const binaries = await findPostgres(toolsFolder, major);
  if (binaries) return binaries;
  throw new SetupError(
    `The data in ${folder} was written by Postgres ${major}, which this machine no longer has: install it, or forget the data with: npm start -- --fresh`,
  );
}

/** Made under another name and renamed when whole: an interrupted start never leaves half a database. */
async function createDataFolder(
  folder: string,
  binaries: PostgresBinaries,
  owner: PostgresOwner | undefined,
  password: string,
): Promise<void> {
  const aside = `${folder}.new`;
  const passwordPath = `${folder}.password`;
  rmSync(aside, { recursive: true, force: true });
  try {
    mkdirSync(aside);
    giveTo(owner, aside, 0o700);
    writeFileSync(passwordPath, password, { mode: 0o600 });
    giveTo(owner, passwordPath, 0o600);
    const args = [
      '-D',
      aside,
      '-U',
      user,
      `--pwfile=${passwordPath}`,
      '-A',
      'scram-sha-256',
      '-E',
      'UTF8',
      '--locale=C',
    ];
    const made = await runCommand(binaries.initdb, args, {
      cwd: aside,
      env: { PATH: process.env['PATH'] },
      ...owner,
    });
    if (made.exitCode !== 0)
      throw new SetupError(`Postgres could not make its data folder: ${tail(made.stderr, 2)}`);
    renameSync(aside, folder);
  } finally {
    rmSync(passwordPath, { force: true });
    rmSync(aside, { recursive: true, force: true });
  }
}

/**
 * A Postgres that was killed leaves a file with its process id. When that id has since gone to another program, Postgres
 * would refuse to start; when it really is an old server of this folder, that one is stopped first.
 */
async function clearStalePidFile(folder: string): Promise<void> {
  const path = join(folder, 'postmaster.pid');
  if (!existsSync(path)) return;
  const pid = Number.parseInt(readFileSync(path, 'utf8'), 10);
  const before = Number.isInteger(pid) ? identify(pid) : undefined;
  if (before && commandLine(pid).includes(folder)) {
    process.kill(pid, 'SIGINT');
    for (let waited = 0; waited < 100 && identify(pid)?.began === before.began; waited += 1) await sleep(100);
  }
  rmSync(path, { force: true });
}

function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
