import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keeper, loadSettings, startNats } from '@currawong/local-platform';
import { testServers } from './test-servers';

export interface FreshNats {
  readonly url: string;
  /** Ends the server, in order or by force, and leaves it ended; not possible with a server that was given. */
  halt(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts it again on the same port, over the same store. */
  resume(): Promise<void>;
  /** Where JetStream keeps its files; to be put back to an older copy while the server is halted. */
  readonly storeFolder: string;
  /** What the server has logged so far. */
  log(): string;
  stop(): Promise<void>;
}

/**
 * A NATS server with JetStream for one test file: a process of its own, because streams have names that are global to a
 * server. Where the environment names a server, that one is used and the file shares it with the others, unless it asks
 * for users of its own: a block of the server's configuration.
 */
export async function freshNats(authorization?: string): Promise<FreshNats> {
  const { natsIsGiven, natsUrl, tools } = testServers();
  if (!tools.natsServer || (natsIsGiven && authorization === undefined)) {
    if (authorization === undefined) return givenNats(natsUrl);
    throw new Error('This test starts a NATS server with users of its own: put nats-server on the PATH.');
  }
  const dataFolder = mkdtempSync(join(tmpdir(), 'currawong-nats-'));
  const logFolder = join(dataFolder, 'logs');
  mkdirSync(logFolder);
  const keeper = await Keeper.open(dataFolder);
  const settings = loadSettings(dataFolder);
  const server = await startNats(
    { dataFolder, logFolder, toolsFolder: dataFolder, keeper, settings },
    tools.natsServer,
    authorization,
  );
  return {
    url: server.address,
    storeFolder: join(dataFolder, 'nats'),
    log: () => readFileSync(join(logFolder, 'nats.log'), 'utf8'),
    halt: (signal = 'SIGTERM') => server.process.halt(signal === 'SIGKILL' ? 0 : 10),
    async resume() {
      server.process.start();
      await server.waitUntilReady();
    },
    async stop() {
      await server.process.halt();
      await keeper.close();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

function givenNats(url: string): FreshNats {
  const refuse = () => Promise.reject(new Error('The NATS server of NATS_URL is not ours to stop.'));
  return { url, storeFolder: '', log: () => '', halt: refuse, resume: refuse, stop: () => Promise.resolve() };
}
