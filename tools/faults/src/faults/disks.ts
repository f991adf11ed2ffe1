import { setTimeout as sleep } from 'node:timers/promises';
import { fill } from '../arena/small-disks';
import type { FaultKind } from './fault';

function full(what: 'postgres' | 'nats'): FaultKind {
  return {
    name: `disk-full-${what}`,
    unavailable: ({ disksRemark }) => disksRemark,
    plan(random) {
      const seconds = random.between(2, 6);
      return {
        what: `no space left under ${what} for ${seconds.toFixed(1)} s`,
        touches: [what],
        async happen({ arena }) {
          const free = fill(arena.diskOf(what));
          await sleep(seconds * 1000);
          free();
          // It switches JetStream off for good when its disk is full; whoever frees the disk starts it again. So does
          // the health check of a cluster.
          if (what === 'nats') await arena.downServer('nats', 'SIGTERM');
          await arena.resumeServer(what);
        },
      };
    },
  };
}

export const postgresFull = full('postgres');
export const natsFull = full('nats');

export const scratchFull: FaultKind = {
  name: 'disk-full-scratch',
  unavailable: ({ disksRemark }) => disksRemark,
  plan(random) {
    const worker = random.oneOf(['worker', 'worker-2'] as const);
    const seconds = random.between(3, 7);
    return {
      what: `no space left where ${worker} decodes for ${seconds.toFixed(1)} s`,
      touches: [worker],
      async happen({ arena }) {
        const free = fill(arena.diskOf(worker));
        await sleep(seconds * 1000);
        free();
      },
    };
  },
};
