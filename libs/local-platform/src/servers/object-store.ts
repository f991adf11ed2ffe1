import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { Client } from 'minio';
import { isPortFree, pickPorts } from '../ports';
import { stopStage } from '../processes/keeper';
import { Supervised } from '../processes/supervised';
import { SetupError } from '../setup-error';
import { type Embedded, type ServerContext, waitUntilAnswers } from './server-context';

/** Where the bucket is and how to sign for it. */
export interface ObjectStoreAddress {
  /** With scheme and port. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

export const defaultBucket = 'currawong';
export const defaultRegion = 'ap-southeast-2';

const roles = ['master', 'volume', 'filer', 's3', 'admin'] as const;

/** Starts the embedded SeaweedFS and makes the bucket. */
export async function startObjectStore(
  context: ServerContext,
  program: string,
): Promise<Embedded<ObjectStoreAddress>> {
  const { settings, dataFolder, logFolder, keeper } = context;
  const folder = join(dataFolder, 's3');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ports = await pickStorePorts(settings.ports);
  Object.assign(settings.ports, ports);
  removeSockets(Object.values(ports));
  // Otherwise options of an earlier start, its ports among them, would win over those given now.
  rmSync(join(folder, 'mini.options'), { force: true });
  const logPath = join(logFolder, 's3.log');
  const server = new Supervised(keeper, {
    name: 's3',
    program,
    // Its words go to this file alone: otherwise it leaves files of them in the machine's temporary folder as well.
    args: ['-logtostderr=true', 'mini', `-dir=${folder}`, ...portFlags(ports), ...featureFlags],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      AWS_ACCESS_KEY_ID: settings.secrets.s3AccessKey,
      AWS_SECRET_ACCESS_KEY: settings.secrets.s3SecretKey,
      // Collect garbage early: speed of the store is not what a laptop is short of.
      GOMEMLIMIT: '256MiB',
      GOGC: '50',
    },
    cwd: folder,
    logPath,
    stage: stopStage.server,
    stopSignal: 'SIGTERM',
  });
  const address = {
    endpoint: `http://127.0.0.1:${ports['s3-s3']}`,
    bucket: defaultBucket,
    accessKey: settings.secrets.s3AccessKey,
    secretKey: settings.secrets.s3SecretKey,
    region: defaultRegion,
  };
  // It takes connections before it can store anything: only a listing of the buckets says that it is up.
  server.start();
  const waitUntilReady = (toleratedEndings = 5) =>
    waitUntilAnswers(
      server,
      async () => {
        if ((await httpStatus(address.endpoint)) !== 403) return false;
        await ensureBucket(address);
        return true;
      },
      { toleratedEndings },
    );
  await waitUntilReady(0);
  return { address, process: server, waitUntilReady };
}

/** The store of the environment; undefined when there is none. */
export function objectStoreFromEnvironment(env: NodeJS.ProcessEnv): ObjectStoreAddress | undefined {
  const endpoint = env['S3_ENDPOINT'];
  if (!endpoint) return undefined;
  const accessKey = env['S3_ACCESS_KEY'];
  const secretKey = env['S3_SECRET_KEY'];
  if (!accessKey || !secretKey) {
    throw new SetupError('S3_ENDPOINT is set, so S3_ACCESS_KEY and S3_SECRET_KEY must be set as well.');
  }
  if (!URL.canParse(endpoint))
    throw new SetupError('S3_ENDPOINT must be an address such as http://127.0.0.1:9000.');
  return {
    endpoint,
    accessKey,
    secretKey,
    bucket: env['S3_BUCKET'] ?? defaultBucket,
    region: env['S3_REGION'] ?? defaultRegion,
  };
}

export async function ensureBucket(address: ObjectStoreAddress): Promise<void> {
  const client = objectStoreClient(address);
  if (!(await client.bucketExists(address.bucket))) await client.makeBucket(address.bucket, address.region);
}

export function objectStoreClient(address: ObjectStoreAddress): Client {
  const url = new URL(address.endpoint);
  return new Client({
    endPoint: url.hostname,
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    useSSL: url.protocol === 'https:',
    accessKey: address.accessKey,
    secretKey: address.secretKey,
    region: address.region,
  });
}

const featureFlags = [
  '-ip=127.0.0.1',
  '-ip.bind=127.0.0.1',
  '-webdav=false',
  '-admin.ui=false',
  '-s3.port.iceberg=0',
  '-s3.port.lance=0',
  '-master.telemetry=false',
  '-volume.preStopSeconds=0',
  // Every bucket takes volumes of its own, and how many there can be is the free space divided by this: tests make many
  // buckets.
  '-master.volumeSizeLimitMB=64',
];

/**
 * By default every gRPC port is the HTTP port plus 10,000, which may be taken or above 65,535: so each is named. Only the
 * admin part's is not, because its own worker looks for it at that distance whatever is named.
 */
async function pickStorePorts(remembered: Readonly<Record<string, number>>): Promise<Record<string, number>> {
  const named = roles.filter((role) => role !== 'admin').flatMap((role) => [`s3-${role}`, `s3-${role}-grpc`]);
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const ports = await pickPorts([...named, 's3-admin'], attempt === 0 ? remembered : {});
    const adminGrpc = (ports['s3-admin'] as number) + 10_000;
    if (adminGrpc <= 65_535 && !Object.values(ports).includes(adminGrpc) && (await isPortFree(adminGrpc))) {
      return { ...ports, 's3-admin-grpc': adminGrpc };
    }
  }
  throw new Error('The operating system has no two free TCP ports 10,000 apart.');
}

function portFlags(ports: Record<string, number>): string[] {
  return Object.entries(ports)
    .filter(([name]) => name !== 's3-admin-grpc')
    .map(([name, port]) => {
      const [, role, grpc] = name.split('-');
      return `-${role}.port${grpc ? '.grpc' : ''}=${port}`;
    });
}

/** The store leaves socket files in /tmp when it is killed, and stumbles over them when it gets the same ports. */
function removeSockets(ports: readonly number[]): void {
  const ours = new Set(ports.map(String));
  for (const name of readdirSync('/tmp')) {
    const port = /^seaweedfs-.*-(\d+)\.sock$/.exec(name)?.[1];
    if (port !== undefined && ours.has(port)) rmSync(join('/tmp', name), { force: true });
  }
}

function httpStatus(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .setTimeout(2000, function (this: { destroy(error: Error): void }) {
        this.destroy(new Error('no answer'));
      })
      .once('error', reject);
  });
}
