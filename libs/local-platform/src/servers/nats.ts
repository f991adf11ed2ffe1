import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { writeFileAtomic } from '../files';
import { pickPorts } from '../ports';
import { stopStage } from '../processes/keeper';
import { Supervised } from '../processes/supervised';
import { findOnPath, isExecutable, runCommand } from '../tooling/commands';
import { type Embedded, type ServerContext, waitUntilAnswers } from './server-context';

const user = 'currawong';

/**
 * Starts the embedded NATS server with JetStream; gives its address with user and password in it.
 * @param authorization users of another kind than the one with a password, as a block of the server's configuration; then
 *   the address names no user
 */
export async function startNats(
  context: ServerContext,
  program: string,
  authorization?: string,
): Promise<Embedded<string>> {
  const { settings, dataFolder, logFolder, keeper } = context;
  const storeFolder = join(dataFolder, 'nats');
  mkdirSync(storeFolder, { recursive: true, mode: 0o700 });
  const { nats: port } = await pickPorts(['nats'], settings.ports);
  settings.ports['nats'] = port;
  const password = settings.secrets.natsPassword;
  const configPath = join(dataFolder, 'nats.conf');
  writeFileAtomic(configPath, natsConfig({ port, storeFolder, user, password, authorization }));
  const logPath = join(logFolder, 'nats.log');
  const server = new Supervised(keeper, {
    name: 'nats',
    program,
    args: ['-c', configPath],
    env: { PATH: process.env['PATH'] },
    cwd: dataFolder,
    logPath,
    stage: stopStage.server,
    stopSignal: 'SIGTERM',
  });
  server.start();
  const waitUntilReady = (toleratedEndings = 5) =>
    waitUntilAnswers(server, async () => (await readInfo(port)).jetstream === true, { toleratedEndings });
  await waitUntilReady(0);
  const userInAddress = authorization === undefined ? `${user}:${password}@` : '';
  return { address: `nats://${userInAddress}127.0.0.1:${port}`, process: server, waitUntilReady };
}

export function natsConfig(of: {
  port: number;
  storeFolder: string;
  user: string;
  password: string;
  authorization?: string | undefined;
}): string {
  return [
    `listen: "127.0.0.1:${of.port}"`,
    of.authorization ??
      `authorization { user: ${JSON.stringify(of.user)}, password: ${JSON.stringify(of.password)} }`,
    'max_payload: 1MB',
    'jetstream {',
    `  store_dir: ${JSON.stringify(of.storeFolder)}`,
    // By default an acknowledged message may be lost with the power for two minutes after.
    '  sync_interval: always',
    '  max_memory_store: 64MB',
    '  max_file_store: 10GB',
    '}',
    '',
  ].join('\n');
}

/** A NATS server of the machine that is new enough (2.12 or later), as an absolute path. */
export async function findNats(): Promise<string | undefined> {
  const onPath = findOnPath('nats-server');
  if (!onPath) return undefined;
  const version = await runCommand(onPath, ['--version']);
  return isNatsNewEnough(version.stdout) ? onPath : undefined;
}

export function isNatsNewEnough(versionLine: string): boolean {
  const [, major, minor] = /v(\d+)\.(\d+)\./.exec(versionLine) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 12);
}

/** Builds the server with the machine's Go when no wheel fits the platform. */
export async function buildNats(toolsFolder: string): Promise<string | undefined> {
  const built = join(toolsFolder, 'bin', 'nats-server');
  if (isExecutable(built)) return built;
  const go = findOnPath('go');
  if (!go) return undefined;
  const env = { ...process.env, GOBIN: join(toolsFolder, 'bin'), GOFLAGS: '' };
  const result = await runCommand(go, ['install', 'github.com/nats-io/nats-server/v2@v2.15.2'], { env });
  return result.exitCode === 0 && isExecutable(built) ? built : undefined;
}

/** The greeting that a NATS server sends to whoever connects. */
function readInfo(port: number): Promise<{ jetstream?: boolean }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(2000, () => socket.destroy(new Error('NATS sent no greeting.')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('NATS closed the connection.')));
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      const line = /^INFO (.*)\r\n/.exec(text)?.[1];
      if (line === undefined) return;
      socket.destroy();
      resolve(JSON.parse(line) as { jetstream?: boolean });
    });
  });
}
