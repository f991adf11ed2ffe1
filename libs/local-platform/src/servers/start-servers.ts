import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pickPorts } from '../ports';
import { whileClaimed } from '../processes/claim';
import { Keeper } from '../processes/keeper';
import { loadSettings, saveSettings } from '../settings';
import { prepareTools, type Tools, type ToolsOptions } from '../tooling/tools';
import { startNats } from './nats';
import {
  ensureBucket,
  type ObjectStoreAddress,
  objectStoreFromEnvironment,
  startObjectStore,
} from './object-store';
import { embeddedRoles, startPostgres } from './postgres';
import type { Embedded, ServerContext } from './server-context';
import type { ServiceUrls } from './service-roles';

/** Tells whoever watches that a step of the set-up began or ended. */
export type ReportStep = (step: string, state: 'started' | 'finished', seconds: number) => void;

export interface ServersOptions extends Pick<ToolsOptions, 'requirementFiles' | 'optionalRequirementFiles'> {
  /** Everything that the servers write, apart from a Postgres that runs as another user and cannot reach it. */
  readonly dataFolder: string;
  /** Programs that have to be fetched; default: the data folder. */
  readonly toolsFolder?: string;
  /** Addresses given here (DATABASE_URL, NATS_URL, S3_ENDPOINT) are used instead of starting a server. */
  readonly env?: NodeJS.ProcessEnv;
  readonly report?: ReportStep;
}

export type ServerName = 'postgres' | 'nats' | 's3';

export interface Servers {
  /** Of the role that administers the database. */
  readonly databaseUrl: string;
  /** Where the services sign in with roles of their own; absent with a database that was given. */
  readonly serviceUrls?: ServiceUrls;
  readonly natsUrl: string;
  readonly s3: ObjectStoreAddress;
  readonly tools: Tools;
  readonly dataFolder: string;
  readonly logFolder: string;
  /** Starts further processes that end together with the servers. */
  readonly keeper: Keeper;
  /** The embedded servers among them, to be stopped and started by tests of failure. */
  readonly embedded: Readonly<Partial<Record<ServerName, Embedded<unknown>>>>;
  /** Free ports that are remembered under these names from one start to the next. */
  pickPorts<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>>;
  /** Stops the servers and whatever else the keeper has started. */
  stop(): Promise<void>;
}

/**
 * Real Postgres, NATS with JetStream and an S3 store on 127.0.0.1, whatever the machine has of them already. They end
 * with this process, however it ends. Throws SetupError for what the user has to put right.
 */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const { dataFolder, toolsFolder = dataFolder, env = process.env } = options;
  const logFolder = join(dataFolder, 'logs');
  mkdirSync(logFolder, { recursive: true });
  mkdirSync(toolsFolder, { recursive: true });
  // Others may pass through, to where Postgres has its own folder, and list nothing.
  chmodSync(dataFolder, 0o711);
  const given = {
    databaseUrl: env['DATABASE_URL'],
    natsUrl: env['NATS_URL'],
    s3: objectStoreFromEnvironment(env),
  };
  const keeper = await Keeper.open(dataFolder);
  const settings = loadSettings(dataFolder);
  const context: ServerContext = { dataFolder, logFolder, toolsFolder, keeper, settings };
  const timed = timer(options.report);
  try {
    const programs = timed('programs', () =>
      // Several runs share the folder: two of them must not install into it at once.
      whileClaimed(join(toolsFolder, 'tools.lock'), () =>
        prepareTools({
          toolsFolder,
          requirementFiles: options.requirementFiles,
          optionalRequirementFiles: options.optionalRequirementFiles,
          needNats: !given.natsUrl,
          needObjectStore: !given.s3,
        }),
      ),
    );
    const nothing = Promise.resolve(undefined);
    const [postgres, nats, s3, tools] = await allOrFirstFailure([
      given.databaseUrl ? nothing : timed('Postgres', () => startPostgres(context)),
      given.natsUrl
        ? nothing
        : programs.then((found) => timed('NATS', () => startNats(context, found.natsServer))),
      given.s3
        ? ensureBucket(given.s3)
        : programs.then((found) => timed('S3 store', () => startObjectStore(context, found.objectStore))),
      programs,
    ]);
    const serviceUrls = postgres && (await embeddedRoles(postgres.address, context));
    saveSettings(dataFolder, settings);
    const store = s3 ?? undefined;
    return {
      ...(serviceUrls && { serviceUrls }),
      databaseUrl: postgres?.address ?? (given.databaseUrl as string),
      natsUrl: nats?.address ?? (given.natsUrl as string),
      s3: store?.address ?? (given.s3 as ObjectStoreAddress),
      tools,
      dataFolder,
      logFolder,
      keeper,
      embedded: { ...(postgres && { postgres }), ...(nats && { nats }), ...(store && { s3: store }) },
      async pickPorts(names) {
        const ports = await pickPorts(names, settings.ports);
        Object.assign(settings.ports, ports);
        saveSettings(dataFolder, settings);
        return ports;
      },
      async stop() {
        // Told one by one, because each would otherwise be started again.
        await Promise.all([postgres, nats, store].map(async (server) => server?.process.halt()));
        await keeper.close();
      },
    };
  } catch (error) {
    await keeper.close();
    throw error;
  }
}

/** Waits for all to settle before it throws, so that nothing starts behind the back of the clean-up. */
async function allOrFirstFailure<T extends readonly unknown[]>(
  work: readonly [...{ [Index in keyof T]: Promise<T[Index]> }],
): Promise<T> {
  const settled = await Promise.allSettled<unknown>(work as readonly Promise<unknown>[]);
  const failed = settled.find((one): one is PromiseRejectedResult => one.status === 'rejected');
  if (failed) throw failed.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

function timer(report: ReportStep = () => undefined) {
  return async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    report(step, 'started', 0);
    const result = await work();
    report(step, 'finished', (performance.now() - began) / 1000);
    return result;
  };
}
