import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A broker of its own for one spec file: these tests kill it and delete its streams. */
export interface TestBroker {
  url: string;
  /** where it keeps the streams; look into it only while it is killed */
  folder: string;
  /** `kill -9` unless another signal is named */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** without waiting for what comes of it */
  signal(signal: NodeJS.Signals): void;
  /** on the same port with what is on disk */
  start(): Promise<void>;
  /** kills it and deletes what it stored */
  remove(): Promise<void>;
}

/** @param args more words for the server's command line */
export async function startTestBroker(args: readonly string[] = []): Promise<TestBroker> {
  const program = findNatsServer();
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'currawong-nats-'));
  let server: ChildProcess | undefined;
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill(signal);
    await gone;
  };
  const start = async () => {
    server = spawn(program, ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder, ...args], {
      stdio: 'ignore',
    });
    await untilReachable(port);
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    folder,
    kill,
    signal: (signal) => void server?.kill(signal),
    start,
    remove: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The program that `npm start` and `npm test` install, or one on the PATH. */
function findNatsServer(): string {
  const root = resolve(__dirname, '../../..');
  const folders = [join(root, '.currawong/venv/bin'), join(root, '.currawong/tools/bin')];
  folders.push(...(process.env['PATH'] ?? '').split(delimiter));
  const found = folders.map((folder) => join(folder, 'nats-server')).find((path) => existsSync(path));
  if (found === undefined)
    throw new Error('nats-server is missing: `npm start` installs it, or put it on the PATH');
  return found;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilReachable(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const socket = connect(port, '127.0.0.1');
    const reached = await Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'error').then(() => false),
      sleep(1_000, false),
    ]).catch(() => false);
    socket.destroy();
    if (reached) return;
    await sleep(50);
  }
  throw new Error('nats-server does not answer');
}
