import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { poison, short } from '../load/recordings';
import { Random } from '../random';
import type { FaultKind } from './fault';

/** Messages are in the streams a second time, under ids of their own. */
export const deliveredTwice: FaultKind = {
  name: 'delivered-twice',
  plan(random) {
    const seed = random.below(2 ** 31);
    return {
      what: 'messages delivered twice',
      touches: ['messages'],
      async happen({ watch, note }) {
        const chosen = new Random(seed);
        let sent = 0;
        for (let second = 0; second < 4; second++) {
          await sleep(1_000);
          for (const message of chosen.shuffled(watch.recent).slice(0, 12)) {
            const meta = headers();
            meta.set('Nats-Msg-Id', `again-${seed}-${sent}`);
            // While the broker is away nothing can be delivered at all.
            await jetstream(watch.connection)
              .publish(message.subject, message.payload, { headers: meta, timeout: 1_000 })
              .then(
                () => (sent += 1),
                () => undefined,
              );
          }
        }
        note(`${sent} messages delivered twice`);
      },
    };
  },
};

/** Far more jobs at once than there are workers for. */
export const crowd: FaultKind = {
  name: 'crowd',
  plan(random) {
    const jobs = 30 + random.below(20);
    const seed = random.below(2 ** 31);
    return {
      what: `${jobs} jobs at once, one worker`,
      touches: ['worker-2'],
      async happen({ arena, load }) {
        await arena.services.halt('worker-2');
        const chosen = new Random(seed);
        await Promise.all(
          Array.from({ length: jobs }, () =>
            load.submit(load.accountNamed('rich'), short(load.name('crowd'), chosen), chosen.fork()),
          ),
        );
        await sleep(2_000);
        await arena.services.resume('worker-2');
      },
    };
  },
};

/** Files that no decoder can read, many at once. */
export const poisoned: FaultKind = {
  name: 'poison-files',
  plan(random) {
    const seed = random.below(2 ** 31);
    return {
      what: 'files that cannot be decoded',
      touches: ['files'],
      async happen({ load }) {
        const chosen = new Random(seed);
        await Promise.all(
          Array.from({ length: 10 }, () =>
            load.submit(load.accountNamed('free'), poison(load.name('poison'), chosen), chosen.fork()),
          ),
        );
      },
    };
  },
};
