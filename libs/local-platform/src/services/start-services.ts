import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPortFree } from '../ports';
import { stopStage } from '../processes/keeper';
import { Supervised } from '../processes/supervised';
import { waitUntilAnswers } from '../servers/server-context';
import type { ReportStep, Servers } from '../servers/start-servers';
import { SetupError } from '../setup-error';
import { runCommand, tail } from '../tooling/commands';
import {
  databaseEnvironment,
  platformEnvironment,
  serviceEnvironment,
  type ServicePorts,
} from './service-environment';

/** The services of one platform; a second worker is called `worker-2`, a second gateway `gateway-2`, and so on. */
export const defaultServices = ['billing', 'jobs', 'worker', 'gateway'] as const;

/** Those, and the process that calls customers' addresses: what a whole installation has. */
export const allServices = [...defaultServices, 'webhooks'] as const;

/** Where the program of a service lies that is not apps/<name>/dist/main.js: its code is another service's. */
const PROGRAMS: Readonly<Record<string, string>> = { webhooks: 'gateway/dist/main.webhooks.js' };

/** The services that own a schema. */
const migrated = ['gateway', 'jobs', 'billing'] as const;

/** The servers that the services use, and the keeper that ends them together. */
export type ServiceSurroundings = Pick<
  Servers,
  | 'databaseUrl'
  | 'serviceUrls'
  | 'natsUrl'
  | 's3'
  | 'tools'
  | 'dataFolder'
  | 'logFolder'
  | 'keeper'
  | 'pickPorts'
>;

export interface ServicesOptions {
  readonly servers: ServiceSurroundings;
  /** Holds apps/<name>/dist/main.js. */
  readonly repositoryFolder: string;
  /** Of the gateway; when absent, a free one is chosen and remembered. */
  readonly port?: number;
  /** Settings for all services, which win over everything else. */
  readonly env?: Readonly<Record<string, string>>;
  /** Settings of single services by their names, which win over those for all. */
  readonly envOf?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly services?: readonly string[];
  readonly logFolder?: string;
  readonly report?: ReportStep;
  /** Called whenever a process has been started or has ended. */
  readonly onPidsChange?: (pids: Readonly<Record<string, number>>) => void;
}

export interface Services {
  /** Of the gateway, without a slash at the end. */
  readonly baseUrl: string;
  /** The same of any gateway, such as `gateway-2`. */
  readonly baseUrlOf: (name: string) => string;
  /** Where each service serves /metrics and /health/ready. */
  readonly metricsUrls: Readonly<Record<string, string>>;
  readonly pids: () => Record<string, number>;
  readonly logPath: (name: string) => string;
  /** Sends a signal; a service that ends from it is started again. */
  readonly kill: (name: string, signal?: NodeJS.Signals) => void;
  /** Ends a service in order and leaves it ended. */
  readonly halt: (name: string) => Promise<void>;
  /** Starts a halted service and waits until it is ready. */
  readonly resume: (name: string) => Promise<void>;
  readonly restart: (name: string) => Promise<void>;
  readonly waitUntilReady: (name: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Brings the schemas up to date, then starts the services and waits until each says that it is ready. */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const { servers, services: names = defaultServices, logFolder = servers.logFolder, report } = options;
  mkdirSync(logFolder, { recursive: true });
  const ports = await servicePorts(options, names);
  await timed('schemas', report, () => migrate(options, logFolder));

  const supervised = new Map<string, Supervised>();
  const pids = () =>
    Object.fromEntries(
      [...supervised].flatMap(([name, one]) => (one.pid === undefined ? [] : [[name, one.pid]])),
    );
  const metricsUrls: Record<string, string> = {};
  for (const name of names) {
    const metrics = ports[`metrics-${name}`] as number;
    metricsUrls[name] = `http://127.0.0.1:${metrics}`;
    supervised.set(
      name,
      supervise(options, name, { metrics, ...httpPort(ports, name) }, logFolder, () =>
        options.onPidsChange?.(pids()),
      ),
    );
  }
  const get = (name: string): Supervised => {
    const found = supervised.get(name);
    if (!found) throw new Error(`There is no service ${name} in this platform.`);
    return found;
  };
  const baseUrlOf = (name: string) => {
    const { http } = httpPort(ports, name);
    if (http === undefined) throw new Error(`There is no gateway ${name} in this platform.`);
    return `http://127.0.0.1:${http}`;
  };
  const waitUntilReady = (name: string) =>
    waitUntilAnswers(get(name), () => answersReady(`${metricsUrls[name]}/health/ready`), {
      toleratedEndings: 2,
    });
  const stop = async () => {
    await Promise.all([...supervised.values()].map((one) => one.halt()));
  };

  try {
    const started = await Promise.allSettled(
      names.map((name) =>
        timed(name, report, async () => {
          get(name).start();
          await waitUntilReady(name);
        }),
      ),
    );
    const failed = started.find((one): one is PromiseRejectedResult => one.status === 'rejected');
    if (failed) throw failed.reason;
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    baseUrl: baseUrlOf('gateway'),
    baseUrlOf,
    metricsUrls,
    pids,
    logPath: (name) => get(name).logPath,
    kill: (name, signal) => void get(name).kill(signal),
    halt: (name) => get(name).halt(),
    async resume(name) {
      get(name).start();
      await waitUntilReady(name);
    },
    async restart(name) {
      await get(name).restart();
      await waitUntilReady(name);
    },
    waitUntilReady,
    stop,
  };
}

async function servicePorts(
  options: ServicesOptions,
  names: readonly string[],
): Promise<Record<string, number>> {
  const { servers, port } = options;
  const wanted = [
    ...names.map((name) => `metrics-${name}`),
    ...names.filter((name) => appOf(name) === 'gateway' && name !== 'gateway'),
  ];
  if (port === undefined) return servers.pickPorts([...wanted, 'gateway']);
  if (!(await isPortFree(port))) {
    throw new SetupError(
      `Port ${port} is in use by another program: choose another one, for example PORT=${port + 1} npm start`,
    );
  }
  return { ...(await servers.pickPorts(wanted)), gateway: port };
}

/** `worker` for `worker-2`. */
function appOf(name: string): string {
  return name.replace(/-\d+$/, '');
}

/** Each gateway has a port under its own name. */
function httpPort(ports: Readonly<Record<string, number>>, name: string): { http?: number } {
  const http = ports[name];
  return http === undefined ? {} : { http };
}

function supervise(
  options: ServicesOptions,
  name: string,
  ports: ServicePorts,
  logFolder: string,
  onChange: () => void,
): Supervised {
  const { servers, repositoryFolder } = options;
  const app = appOf(name);
  const main = join(repositoryFolder, 'apps', PROGRAMS[app] ?? `${app}/dist/main.js`);
  // Tracing has to be there before the libraries that it instruments are loaded.
  const tracing = join(repositoryFolder, 'libs', 'telemetry', 'dist', 'register.js');
  if (!existsSync(main))
    throw new SetupError(`The service ${app} is not built (${main} is missing): npx nx run-many -t build`);
  const logPath = join(logFolder, `${name}.log`);
  // Each start has a log of its own; what came before is of no use next to it.
  writeFileSync(logPath, '', { mode: 0o600 });
  return new Supervised(
    servers.keeper,
    {
      name,
      program: process.execPath,
      args: ['--enable-source-maps', ...(existsSync(tracing) ? ['--require', tracing] : []), main],
      env: serviceEnvironment(app, name, servers, repositoryFolder, ports, {
        ...options.env,
        ...options.envOf?.[name],
      }),
      cwd: repositoryFolder,
      logPath,
      stage: stopStage.service,
      stopSignal: 'SIGTERM',
    },
    onChange,
  );
}

async function migrate(options: ServicesOptions, logFolder: string): Promise<void> {
  const { servers, repositoryFolder } = options;
  const env = { ...process.env, LOG_LEVEL: 'info', ...platformEnvironment(servers), ...options.env };
  await Promise.all(
    migrated.map(async (app) => {
      const program = join(repositoryFolder, 'apps', app, 'dist', 'migrate.js');
      if (!existsSync(program)) return;
      const result = await runCommand(process.execPath, ['--enable-source-maps', program], {
        cwd: repositoryFolder,
        env: { ...env, ...databaseEnvironment(app, servers), ...options.env },
      });
      writeFileSync(join(logFolder, `migrate-${app}.log`), result.stdout + result.stderr, { mode: 0o600 });
      if (result.exitCode !== 0) {
        throw new SetupError(
          `The database schema of ${app} could not be brought up to date: ${tail(result.stderr || result.stdout, 3)}`,
        );
      }
    }),
  );
}

async function answersReady(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
  await response.body?.cancel();
  return response.ok;
}

async function timed(step: string, report: ReportStep | undefined, work: () => Promise<void>): Promise<void> {
  const began = performance.now();
  report?.(step, 'started', 0);
  await work();
  report?.(step, 'finished', (performance.now() - began) / 1000);
}
