import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Embedded,
  forgetData,
  loadSettings,
  platformEnvironment,
  runCommand,
  type ServerName,
  type Servers,
  type Services,
  startServers,
  startServices,
  writeJsonAtomic,
} from '@currawong/local-platform';
import { stretch } from '../busy-machine';
import { SmallDisks } from './small-disks';
import { TcpProxy } from './tcp-proxy';

/** Two of whatever may be there twice: a fault of one must be made good by the other. */
export const SERVICES = [
  ...(['gateway', 'gateway-2', 'jobs', 'jobs-2', 'billing', 'worker', 'worker-2'] as const),
  ...(['webhooks', 'webhooks-2'] as const),
] as const;
export const GATEWAYS = ['gateway', 'gateway-2'];
export const WORKERS = ['worker', 'worker-2'];
export const SERVERS: readonly ServerName[] = ['postgres', 'nats', 's3'];

const MEGABYTE = 1024 * 1024;
/** A worker that is silent for so long has lost its work. */
export const LEASE_SECONDS = 3;

/** Everything waits as short as it can, so that minutes show what takes hours in production. */
const SETTINGS: Record<string, string> = {
  ...{ RECOGNIZER: 'null', NULL_ENGINE_SLEEP_FACTOR: '0.08', DIARIZER: 'mfcc-bic', CHUNK_SECONDS: '40' },
  ...{ WORKER_SLOTS: '2' },
  ...{ WORK_LEASE_SECONDS: String(LEASE_SECONDS), QUEUE_LEASE_SECONDS: '5', RETRY_DELAY_SECONDS: '0.3' },
  ...{ UPLOAD_LEASE_SECONDS: '6', SWEEP_INTERVAL_SECONDS: '0.5', RECONCILE_INTERVAL_SECONDS: '3' },
  ...{ STRANDED_AFTER_SECONDS: '10', TEST_SECONDS_PER_DAY: '100000000', LOG_LEVEL: 'info' },
  // The receiver of webhooks is on this machine, and often fails: it is tried again soon, and for longer than any fault.
  ...{
    OUTBOUND_ALLOWED_ADDRESSES: '127.0.0.1/32',
    WEBHOOK_TIMEOUT_SECONDS: '2',
    WEBHOOK_POLL_SECONDS: '0.5',
  },
  WEBHOOK_RETRY_SECONDS: ['0.5', '0.5', '1', '1', '1', ...Array<string>(40).fill('2')].join(','),
  ...Object.fromEntries(
    ['TRANSCRIBE', 'REQUESTS', 'FAILURES'].map((what) => [`RATE_LIMIT_${what}_PER_MINUTE`, '1000000']),
  ),
};

export interface ArenaOptions {
  /** Holds the built services; a mutated copy when the checker itself is tested. */
  readonly repositoryFolder: string;
  /** Holds the programs of the servers: .currawong. */
  readonly toolsFolder: string;
  /** Settings of all services, which win. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The whole platform on servers of its own, each process and each way between them in our hands. */
export class Arena {
  private constructor(
    readonly folder: string,
    readonly servers: Servers,
    readonly services: Services,
    private readonly proxies: ReadonlyMap<string, TcpProxy>,
    private readonly disks: SmallDisks,
    /** Why the disks of the servers cannot be filled here; undefined where they can. */
    readonly disksRemark: string | undefined,
    private readonly options: ArenaOptions,
  ) {}

  static async open(options: ArenaOptions): Promise<Arena> {
    const folder = mkdtempSync(join(tmpdir(), 'currawong-faults-'));
    const disks = new SmallDisks();
    // Every one of the steps, also when a later one fails.
    const opened: (() => Promise<void> | void)[] = [];
    try {
      const pgHome = join(folder, 'disk-postgres');
      const remarks = [
        disks.mount(pgHome, 512 * MEGABYTE),
        disks.mount(join(folder, 'nats'), 96 * MEGABYTE),
        ...WORKERS.map((name) => disks.mount(join(folder, 'scratch', name), 64 * MEGABYTE)),
      ];
      opened.push(() => disks.unmountAll());
      const disksRemark = remarks.find((remark) => remark !== undefined);
      if (disksRemark === undefined)
        writeJsonAtomic(join(folder, 'settings.json'), { ...loadSettings(folder), postgresHome: pgHome });
      const engines = ['pocketsphinx', 'moonshine', 'faster-whisper'];
      const servers = await startServers({
        dataFolder: folder,
        toolsFolder: options.toolsFolder,
        requirementFiles: engines
          .map((engine) => join(options.repositoryFolder, 'engines', `requirements-${engine}.txt`))
          .filter(existsSync),
        env: {},
      });
      opened.push(() => servers.stop());
      const proxies = new Map<string, TcpProxy>();
      opened.push(async () => void (await Promise.all([...proxies.values()].map((proxy) => proxy.close()))));
      const envOf: Record<string, Record<string, string>> = {};
      mkdirSync(join(folder, 'orders'));
      for (const service of SERVICES) {
        for (const server of SERVERS)
          proxies.set(`${service} ${server}`, await TcpProxy.before(portOf(addressOf(servers, server))));
        const through = (server: ServerName, address = addressOf(servers, server)) =>
          withPort(address, proxies.get(`${service} ${server}`)!.port);
        envOf[service] = {
          ...(WORKERS.includes(service)
            ? {}
            : { DATABASE_URL: through('postgres', databaseOf(servers, service)) }),
          ...{ NATS_URL: through('nats'), S3_ENDPOINT: through('s3') },
          ...{ NODE_OPTIONS: `--require ${insideService()}` },
          ...{ FAULTS_ORDERS: join(folder, 'orders', `${service}.json`) },
        };
      }
      const services = await startServices({
        servers,
        repositoryFolder: options.repositoryFolder,
        services: [...SERVICES],
        env: { ...SETTINGS, ...options.env },
        envOf,
      });
      return new Arena(folder, servers, services, proxies, disks, disksRemark, options);
    } catch (error) {
      for (let close = opened.pop(); close; close = opened.pop()) await close();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  server(name: ServerName): Embedded<unknown> {
    const found = this.servers.embedded[name];
    if (!found) throw new Error(`${name} does not run here.`);
    return found;
  }

  /** Ends a server with one signal and keeps it ended until `resumeServer`. */
  async downServer(name: ServerName, signal: NodeJS.Signals): Promise<void> {
    const { process } = this.server(name);
    process.kill(signal);
    await process.halt(20);
  }

  async resumeServer(name: ServerName): Promise<void> {
    this.server(name).process.start();
    await this.server(name).waitUntilReady();
  }

  proxy(service: string, server: ServerName): TcpProxy {
    const found = this.proxies.get(`${service} ${server}`);
    if (!found) throw new Error(`Nothing stands between ${service} and ${server}.`);
    return found;
  }

  /** What a service finds wrong with itself: the crash point at its next start, the clock at once. */
  order(service: string, orders: { crashAt?: string; clockSkewSeconds?: number }): void {
    writeFileSync(join(this.folder, 'orders', `${service}.json`), JSON.stringify(orders));
  }

  /** Where the server keeps its data, where that is a small disk. */
  diskOf(what: 'postgres' | 'nats' | 'worker' | 'worker-2'): string {
    if (what === 'postgres') return join(this.folder, 'disk-postgres');
    return what === 'nats' ? join(this.folder, 'nats') : join(this.folder, 'scratch', what);
  }

  natsStoreCopy(): { take(): void; putBack(): void } {
    const store = join(this.folder, 'nats');
    const copy = join(this.folder, 'nats-older-copy');
    const jetstream = (folder: string) => join(folder, 'jetstream');
    return {
      take: () => cpSync(jetstream(store), jetstream(copy), { recursive: true }),
      putBack() {
        rmSync(jetstream(store), { recursive: true, force: true });
        if (existsSync(jetstream(copy))) cpSync(jetstream(copy), jetstream(store), { recursive: true });
        rmSync(copy, { recursive: true, force: true });
      },
    };
  }

  async admin<T>(...args: string[]): Promise<{ exitCode: number; value: T }> {
    const program = join(this.options.repositoryFolder, 'apps', 'admin', 'dist', 'main.js');
    const result = await runCommand(process.execPath, [program, ...args], {
      cwd: this.options.repositoryFolder,
      env: { ...process.env, ...platformEnvironment(this.servers) },
      timeoutSeconds: Math.ceil(60 * stretch()),
    });
    try {
      return { exitCode: result.exitCode, value: JSON.parse(result.stdout) as T };
    } catch {
      throw new Error(
        `admin ${args.join(' ')} ended with ${result.exitCode}: ${result.stderr}${result.stdout}`,
      );
    }
  }

  /** Every service says that it is ready, and both gateways that jobs can be accepted. */
  async isHealthy(): Promise<string | undefined> {
    const asked = [
      ...SERVICES.map((name) => [name, `${this.services.metricsUrls[name]}/health/ready`] as const),
      ...GATEWAYS.map((name) => [`${name} /health`, `${this.services.baseUrlOf(name)}/health`] as const),
    ];
    const answers = await Promise.all(
      asked.map(async ([name, url]) => {
        try {
          const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) });
          const text = await answer.text();
          return answer.ok ? undefined : `${name}: ${answer.status} ${text.slice(0, 200)}`;
        } catch (error) {
          return `${name}: ${(error as Error).message}`;
        }
      }),
    );
    return answers.find((answer) => answer !== undefined);
  }

  /** @returns seconds that it took; throws with what is still wrong when it takes longer than the bound */
  async untilHealthy(withinSeconds: number): Promise<number> {
    const began = performance.now();
    for (;;) {
      const wrong = await this.isHealthy();
      const seconds = (performance.now() - began) / 1000;
      if (wrong === undefined) return seconds;
      if (seconds > withinSeconds)
        throw new NotHealthy(`still not healthy after ${withinSeconds.toFixed(0)} s: ${wrong}`);
      await sleep(100);
    }
  }

  log(service: string): string {
    return readFileSync(this.services.logPath(service), 'utf8');
  }

  /** @param keep leaves logs and data where they are */
  async close(keep: boolean): Promise<void> {
    await this.services.stop();
    await this.servers.stop();
    await Promise.all([...this.proxies.values()].map((proxy) => proxy.close()));
    if (keep) return;
    this.disks.unmountAll();
    forgetData(this.folder);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class NotHealthy extends Error {}

/** Compiled beside this file in a build; in tests, which run from the sources, Node strips the types itself. */
function insideService(): string {
  const compiled = join(__dirname, 'inside-service.js');
  return existsSync(compiled) ? compiled : join(__dirname, 'inside-service.ts');
}

function addressOf(servers: Servers, name: ServerName): string {
  if (name === 'postgres') return servers.databaseUrl;
  return name === 'nats' ? servers.natsUrl : servers.s3.endpoint;
}

/** A service signs in as its own role. The process that delivers webhooks is gateway code. */
function databaseOf({ serviceUrls, databaseUrl }: Servers, service: string): string {
  const owner = service.replace(/-2$/, '').replace('webhooks', 'gateway');
  const urls: Readonly<Record<string, string>> = { ...serviceUrls };
  return urls[owner] ?? databaseUrl;
}

function portOf(address: string): number {
  return Number(new URL(address).port);
}

/** As text: a URL of a scheme that is not the web's has no port that could be set. */
function withPort(address: string, port: number): string {
  return address.replace(/:\d+(?=\/|$)/, `:${port}`);
}
