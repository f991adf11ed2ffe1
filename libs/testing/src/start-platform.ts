import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  dropRoles,
  isSuperuser,
  Keeper,
  loadSettings,
  makeRoles,
  type ObjectStoreAddress,
  pickPorts,
  platformEnvironment,
  runCommand,
  serviceUrls,
  startServices,
  type Services,
  type ServiceUrls,
} from '@currawong/local-platform';
import { freshBucket } from './fresh-bucket';
import { freshDatabase } from './fresh-database';
import { type FreshNats, freshNats } from './fresh-nats';
import { testServers } from './test-servers';

export interface PlatformOptions {
  /** Settings of all services, for example `{ RECOGNIZER: 'null' }`. Rate limits are lifted unless they are set here. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: billing, jobs, worker and gateway; `worker-2` is a second worker, `gateway-2` a second gateway. */
  readonly services?: readonly string[];
  /** A database and a bucket that are there already, and stay, instead of fresh ones. */
  readonly databaseUrl?: string;
  readonly s3?: ObjectStoreAddress;
  /** A NATS server with users of its own, which stays. */
  readonly nats?: FreshNats;
  /** Settings of single services, `admin` among them, which win over those of all. */
  readonly envOf?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A whole platform of its own: built services as processes, over a fresh database, bucket and NATS server. */
export interface TestPlatform extends Pick<
  Services,
  'baseUrl' | 'baseUrlOf' | 'metricsUrls' | 'pids' | 'kill' | 'halt' | 'resume' | 'restart'
> {
  /** As the role that administers the database. */
  readonly databaseUrl: string;
  /** As the services sign in, each with a role of its own; undefined where the database was given. */
  readonly serviceUrls: ServiceUrls | undefined;
  readonly nats: FreshNats;
  readonly s3: ObjectStoreAddress;
  /** Waits until the named services, or all, say that they are ready. */
  waitReady(...names: string[]): Promise<void>;
  /** What a service has logged so far: one JSON object a line. */
  logs(name: string): string;
  /** Where all logs of this platform lie. */
  readonly logFolder: string;
  /** Runs the admin command; gives the JSON that it prints. Throws AdminFailure when it exits with another code than 0. */
  admin<T = unknown>(...args: string[]): Promise<T>;
  stop(): Promise<void>;
}

export class AdminFailure extends Error {
  override readonly name = 'AdminFailure';

  constructor(
    readonly exitCode: number,
    readonly stdout: string,
    readonly stderr: string,
  ) {
    super(`The admin command ended with exit code ${exitCode}: ${stderr || stdout}`);
  }
}

const repositoryFolder = join(__dirname, '..', '..', '..');

/** Tests poll as often as they like; those that are about the limits set them. */
const liftedLimits = Object.fromEntries(
  [
    ...['TRANSCRIBE', 'REQUESTS', 'SESSION_REQUESTS', 'FAILURES'].map(
      (what) => `RATE_LIMIT_${what}_PER_MINUTE`,
    ),
    ...[
      'SIGN_IN_ATTEMPTS_PER_QUARTER_HOUR',
      'SIGN_UPS_PER_HOUR',
      'REQUESTED_MAILS_PER_HOUR',
      'KEYS_PER_HOUR',
    ],
  ].map((limit) => [limit, '1000000']),
);

/** Where no words are heard, no trained model has to be loaded to tell whose they are. */
function voicesOf({ env }: PlatformOptions): Record<string, string> {
  return env?.['RECOGNIZER'] === 'null' ? { DIARIZER: 'mfcc-bic' } : {};
}

export async function startPlatform(options: PlatformOptions = {}): Promise<TestPlatform> {
  const { tools } = testServers();
  // Undone in reverse order of opening, also when a later step fails.
  const opened: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (let close = opened.pop(); close; close = opened.pop()) await close();
  };
  try {
    const dataFolder = mkdtempSync(join(tmpdir(), 'currawong-platform-'));
    opened.push(() => rmSync(dataFolder, { recursive: true, force: true }));
    const logFolder = join(dataFolder, 'logs');
    mkdirSync(logFolder);
    const databaseUrl = options.databaseUrl ?? (await madeDatabase(opened));
    // A database that was there already belongs to whom it belongs.
    const serviceUrls = options.databaseUrl === undefined ? await madeRoles(databaseUrl) : undefined;
    const s3 = options.s3 ?? (await madeBucket(opened));
    const nats = options.nats ?? (await madeNats(opened));
    const keeper = await Keeper.open(dataFolder);
    opened.push(() => keeper.close());
    const remembered = loadSettings(dataFolder).ports;
    const servers = {
      databaseUrl,
      ...(serviceUrls && { serviceUrls }),
      natsUrl: nats.url,
      s3,
      tools,
      dataFolder,
      logFolder,
      keeper,
      pickPorts: <Name extends string>(names: readonly Name[]) => pickPorts(names, remembered),
    };
    const services = await startServices({
      servers,
      repositoryFolder,
      env: { ...liftedLimits, ...voicesOf(options), ...options.env },
      ...(options.services && { services: options.services }),
      ...(options.envOf && { envOf: options.envOf }),
    });
    opened.push(() => services.stop());
    const { baseUrl, baseUrlOf, metricsUrls, pids, kill, halt, resume, restart } = services;
    return {
      ...{
        baseUrl,
        baseUrlOf,
        metricsUrls,
        pids,
        kill,
        halt,
        resume,
        restart,
        nats,
        s3,
        logFolder,
        databaseUrl,
        serviceUrls,
      },
      async waitReady(...names) {
        const which = names.length > 0 ? names : Object.keys(metricsUrls);
        await Promise.all(which.map((name) => services.waitUntilReady(name)));
      },
      logs: (name) => readFileSync(services.logPath(name), 'utf8'),
      admin: (...args) =>
        runAdmin({ ...platformEnvironment(servers), ...options.env, ...options.envOf?.['admin'] }, args),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function madeDatabase(opened: (() => Promise<void> | void)[]): Promise<string> {
  const database = await freshDatabase();
  opened.push(async () => {
    await database.drop();
    // Roles outlive a database and belong to the server: those of this one go after it.
    const { databaseUrl } = testServers();
    if (await isSuperuser(databaseUrl)) await dropRoles(databaseUrl, rolesOf(database.url));
  });
  return database.url;
}

/** Each service signs in as itself, so that every test proves that its own schema is all that it needs. */
async function madeRoles(databaseUrl: string): Promise<ServiceUrls | undefined> {
  if (!(await isSuperuser(databaseUrl))) return undefined;
  const urls = rolesOf(databaseUrl);
  await makeRoles(databaseUrl, urls);
  return urls;
}

function rolesOf(databaseUrl: string): ServiceUrls {
  const { pathname, password } = new URL(databaseUrl);
  return serviceUrls(databaseUrl, (service) => `${service}-${password}`, `_${pathname.slice(-10)}`);
}

async function madeBucket(opened: (() => Promise<void> | void)[]): Promise<ObjectStoreAddress> {
  const { drop, ...s3 } = await freshBucket();
  opened.push(drop);
  return s3;
}

async function madeNats(opened: (() => Promise<void> | void)[]): Promise<FreshNats> {
  const nats = await freshNats();
  opened.push(() => nats.stop());
  return nats;
}

async function runAdmin<T>(env: Record<string, string>, args: readonly string[]): Promise<T> {
  const program = join(repositoryFolder, 'apps', 'admin', 'dist', 'main.js');
  const result = await runCommand(process.execPath, [program, ...args], {
    cwd: repositoryFolder,
    env: { ...process.env, ...env },
    timeoutSeconds: 60,
  });
  if (result.exitCode !== 0) throw new AdminFailure(result.exitCode, result.stdout, result.stderr);
  return JSON.parse(result.stdout) as T;
}
