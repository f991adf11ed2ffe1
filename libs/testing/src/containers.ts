import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { StartedTestContainer } from 'testcontainers';

/** Servers in containers, by the variables that name them. */
export interface Containers {
  readonly env: Record<
    'DATABASE_URL' | 'NATS_URL' | 'S3_ENDPOINT' | 'S3_ACCESS_KEY' | 'S3_SECRET_KEY',
    string
  >;
  stop(): Promise<void>;
}

const password = 'currawong-tests';

/** Undefined, at once, where no container engine answers, and where it cannot get the images. */
export async function startContainers(): Promise<Containers | undefined> {
  if (!(await engineAnswers())) return undefined;
  const { GenericContainer, Wait } = await import('testcontainers');
  const started: StartedTestContainer[] = [];
  const stop = async () => {
    await Promise.allSettled(started.map((container) => container.stop()));
  };
  const start = async (container: InstanceType<typeof GenericContainer>) => {
    const running = await container.withStartupTimeout(60_000).start();
    started.push(running);
    return running;
  };
  const settled = await Promise.allSettled([
    start(
      new GenericContainer('postgres:17-alpine')
        .withEnvironment({ POSTGRES_USER: 'currawong', POSTGRES_PASSWORD: password })
        .withCommand(['-c', 'max_connections=200'])
        .withExposedPorts(5432)
        .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2)),
    ),
    start(
      new GenericContainer('nats:2.12-alpine')
        .withCommand(['-js', '-sd', '/data'])
        .withExposedPorts(4222)
        .withWaitStrategy(Wait.forLogMessage(/Server is ready/)),
    ),
    start(
      new GenericContainer('chrislusf/seaweedfs:4.48')
        .withEnvironment({ AWS_ACCESS_KEY_ID: 'currawong', AWS_SECRET_ACCESS_KEY: password })
        .withCommand(['mini', '-dir=/data', '-master.telemetry=false', '-master.volumeSizeLimitMB=64'])
        .withExposedPorts(8333)
        .withWaitStrategy(Wait.forListeningPorts()),
    ),
  ]);
  const [postgres, nats, store] = settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
  if (!postgres || !nats || !store) {
    const failed = settled.find((one): one is PromiseRejectedResult => one.status === 'rejected');
    process.stderr.write(
      `Containers could not be started (${String(failed?.reason)}); embedded servers are used instead.\n`,
    );
    await stop();
    return undefined;
  }
  const at = (container: StartedTestContainer, port: number) =>
    `${container.getHost()}:${container.getMappedPort(port)}`;
  return {
    env: {
      DATABASE_URL: `postgres://currawong:${password}@${at(postgres, 5432)}/currawong`,
      NATS_URL: `nats://${at(nats, 4222)}`,
      S3_ENDPOINT: `http://${at(store, 8333)}`,
      S3_ACCESS_KEY: 'currawong',
      S3_SECRET_KEY: password,
    },
    stop,
  };
}

/** Asks the engine itself: its client, or a socket file, may well be there without it. */
export async function engineAnswers(
  env: NodeJS.ProcessEnv = process.env,
  timeoutSeconds = 1.5,
): Promise<boolean> {
  const host = env['DOCKER_HOST'];
  const sockets = [
    ...(host?.startsWith('unix://') ? [host.slice('unix://'.length)] : []),
    '/var/run/docker.sock',
    ...(env['XDG_RUNTIME_DIR'] ? [`${env['XDG_RUNTIME_DIR']}/podman/podman.sock`] : []),
  ];
  if (host?.startsWith('tcp://')) return connects(new URL(host), timeoutSeconds);
  for (const socketPath of sockets.filter((path) => existsSync(path))) {
    if (await pings(socketPath, timeoutSeconds)) return true;
  }
  return false;
}

function pings(socketPath: string, timeoutSeconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: '/_ping', timeout: timeoutSeconds * 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', () => resolve(false));
    asked.end();
  });
}

function connects(address: URL, timeoutSeconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(address.port || 2375), address.hostname);
    const answer = (value: boolean) => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(timeoutSeconds * 1000, () => answer(false));
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}
