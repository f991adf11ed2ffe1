import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerName } from '@currawong/local-platform';
import { Random } from '../random';
import { heavy } from '../load/recordings';
import type { FaultKind, Scene } from './fault';

/** Ends a server by a signal, leaves it away for a while and brings it back. */
function outage(name: string, server: ServerName, signal: NodeJS.Signals, how: string): FaultKind {
  return {
    name,
    plan(random) {
      const share = random.fraction();
      return {
        what: `${server} ${how}`,
        touches: [server],
        async happen(scene) {
          await scene.arena.downServer(server, signal);
          await sleep(share * scene.outageSeconds * 1000);
          await scene.arena.resumeServer(server);
        },
      };
    },
  };
}

export const natsKilled = outage('nats-killed', 'nats', 'SIGKILL', 'killed');
/** What `pg_ctl stop -m immediate` does: no checkpoint, no farewell. */
export const postgresImmediate = outage('postgres-immediate', 'postgres', 'SIGQUIT', 'stopped immediately');
export const postgresKilled = outage('postgres-killed', 'postgres', 'SIGKILL', 'killed');
export const storeKilled = outage('store-killed', 's3', 'SIGKILL', 'killed');

/** NATS comes back with an older copy of its store, or an empty one: messages are gone, others are there again. */
export const natsOlderCopy: FaultKind = {
  name: 'nats-older-copy',
  plan(random) {
    const isEmpty = random.chance(0.3);
    const ageSeconds = random.between(2, 6);
    return {
      what: isEmpty
        ? 'nats comes back with an empty store'
        : `nats comes back with a store ${ageSeconds.toFixed(1)} s old`,
      touches: ['nats'],
      async happen({ arena }) {
        const copy = arena.natsStoreCopy();
        if (!isEmpty) {
          await arena.downServer('nats', 'SIGTERM');
          copy.take();
          await arena.resumeServer('nats');
          await sleep(ageSeconds * 1000);
        }
        await arena.downServer('nats', 'SIGKILL');
        copy.putBack();
        await arena.resumeServer('nats');
      },
    };
  },
};

/** The store hangs while recordings arrive, and then dies with what it had taken. */
export const storePausedThenKilled: FaultKind = {
  name: 'store-paused-then-killed',
  plan(random) {
    const pausedSeconds = random.between(1, 4);
    const share = random.fraction();
    const seed = random.below(2 ** 31);
    return {
      what: `s3 paused for ${pausedSeconds.toFixed(1)} s during uploads, then killed`,
      touches: ['s3'],
      async happen(scene) {
        const uploads = uploadsUnderWay(scene, new Random(seed), 3);
        await sleep(700);
        scene.arena.server('s3').process.kill('SIGSTOP');
        await sleep(pausedSeconds * 1000);
        await scene.arena.downServer('s3', 'SIGKILL');
        await sleep(share * scene.outageSeconds * 1000);
        await scene.arena.resumeServer('s3');
        await uploads;
      },
    };
  },
};

/** Recordings of several parts, sent slowly. */
export async function uploadsUnderWay({ load }: Scene, random: Random, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, () =>
      load.submit(load.accountNamed('rich'), heavy(load.name('slow'), random), random.fork(), { paceMs: 60 }),
    ),
  );
}
