import { setTimeout as sleep } from 'node:timers/promises';
import { CRASH_POINTS, type CrashPoint } from '@currawong/telemetry';
import { LEASE_SECONDS, SERVICES, WORKERS } from '../arena/arena';
import { query } from '../invariants/facts';
import { tone } from '../load/recordings';
import { Random } from '../random';
import type { FaultKind, Scene } from './fault';

/** A service ends as if its machine had lost power; now and then both of a kind. */
export const killed: FaultKind = {
  name: 'service-killed',
  plan(random) {
    const name = random.oneOf(SERVICES);
    const twin = random.chance(0.3)
      ? SERVICES.filter((one) => one.startsWith(name.replace(/-2$/, '')))
      : [name];
    const times = 1 + random.below(2);
    const pauseSeconds = random.between(0.5, 3);
    return {
      what: `${twin.join(' and ')} killed, ${times} times`,
      touches: twin,
      async happen({ arena }) {
        for (let time = 0; time < times; time++) {
          for (const one of twin) arena.services.kill(one, 'SIGKILL');
          await sleep(pauseSeconds * 1000);
        }
      },
    };
  },
};

export const stopped: FaultKind = {
  name: 'service-stopped',
  plan(random) {
    const name = random.oneOf(SERVICES);
    const awaySeconds = random.between(0, 3);
    return {
      what: `${name} stopped in order, away for ${awaySeconds.toFixed(1)} s`,
      touches: [name],
      async happen({ arena }) {
        await arena.services.halt(name);
        await sleep(awaySeconds * 1000);
        await arena.services.resume(name);
      },
    };
  },
};

/** A service that neither answers nor ends, for a while: a stalled disk, a long collection of garbage, a paused machine. */
export const frozen: FaultKind = {
  name: 'service-frozen',
  plan(random) {
    const name = random.oneOf(SERVICES.filter((one) => !WORKERS.includes(one)));
    const seconds = random.between(2, 8);
    return {
      what: `${name} frozen for ${seconds.toFixed(1)} s`,
      touches: [name],
      async happen({ arena }) {
        arena.services.kill(name, 'SIGSTOP');
        await sleep(seconds * 1000);
        arena.services.kill(name, 'SIGCONT');
      },
    };
  },
};

/** Ends between something that others can see and what belongs to it. */
export const crashed: FaultKind = {
  name: 'crash-point',
  plan(random) {
    const point = random.oneOf(Object.keys(CRASH_POINTS) as CrashPoint[]);
    const app = random.oneOf<string>(CRASH_POINTS[point].services);
    const services = SERVICES.filter((name) => name.replace(/-2$/, '') === app);
    const service = random.oneOf(services);
    const nth = 1 + random.below(3);
    return {
      what: `${service} ends at ${point}:${nth}`,
      touches: [service],
      happen: (scene) => crashAt(scene, service, `${point}:${nth}`),
    };
  },
};

/** Restarts the service with the crash point armed, and waits until it has been reached, or for as long as a fault lasts. */
export async function crashAt(
  scene: Scene,
  service: string,
  point: string,
  withinSeconds = 12,
): Promise<void> {
  const { arena } = scene;
  arena.order(service, { crashAt: point });
  await arena.services.restart(service);
  const armed = arena.services.pids()[service];
  for (const until = performance.now() + withinSeconds * 1000; performance.now() < until; await sleep(50)) {
    if (arena.services.pids()[service] === armed) continue;
    scene.note(`${service} ended at ${point}`);
    return;
  }
  scene.note(`${service} did not reach ${point}`);
  arena.order(service, {});
  await arena.services.restart(service);
}

/** A worker that is paused in the middle of its work wakes when that is somebody else's. */
export const paused: FaultKind = {
  name: 'worker-paused',
  plan(random) {
    const worker = random.oneOf(WORKERS);
    // Mostly while its successor is still at it.
    const beyondSeconds = random.chance(0.7) ? random.between(0.1, 0.6) : random.between(0.6, 2.2);
    const seed = random.below(2 ** 31);
    return {
      what: `${worker} paused until ${beyondSeconds.toFixed(1)} s after its lease`,
      touches: ['worker', 'worker-2'],
      async happen(scene) {
        const { arena } = scene;
        const busy = await busyWorker(scene, worker, new Random(seed));
        arena.services.kill(worker, 'SIGSTOP');
        if (busy) await untilAttempt(scene, busy, 2);
        else await sleep(LEASE_SECONDS * 1000);
        await sleep(beyondSeconds * 1000);
        arena.services.kill(worker, 'SIGCONT');
        await sleep(1_500);
      },
    };
  },
};

/**
 * A paused worker wakes after its lease and reports, and then its successors die: the late report must neither count nor
 * have charged anybody.
 */
export const lateThenLost: FaultKind = {
  name: 'late-report-then-lost',
  plan(random) {
    const seed = random.below(2 ** 31);
    return {
      what: 'a worker reports late, and everybody after it dies',
      touches: ['worker', 'worker-2'],
      async happen(scene) {
        const { arena } = scene;
        const [late, successor] = WORKERS as [string, string];
        const item = await busyWorker(scene, late, new Random(seed));
        if (!item) return scene.note('no worker had work');
        arena.services.kill(late, 'SIGSTOP');
        try {
          // Two more attempts: the job is given up when the third is lost.
          const second = await untilAttempt(scene, item, 2);
          if (second === undefined) return scene.note('no second attempt came');
          arena.services.kill(successor, 'SIGKILL');
          const third = await untilAttempt(scene, item, second + 1);
          if (third === undefined) return scene.note('no third attempt came');
        } finally {
          arena.services.kill(late, 'SIGCONT');
        }
        await sleep(1_500);
        arena.services.kill(successor, 'SIGKILL');
        await sleep((LEASE_SECONDS + 1) * 1000);
      },
    };
  },
};

/** Sends a recording that takes a worker a few seconds, until the named one has such work. @returns its work item */
async function busyWorker(scene: Scene, worker: string, random: Random): Promise<string | undefined> {
  const { arena, load } = scene;
  const pid = arena.services.pids()[worker];
  const account = load.accountNamed('rich');
  for (let tries = 0; tries < 6; tries++) {
    // One chunk, at which the sleeping engine is for as long as a lease lasts.
    void load.submit(account, tone(load.name('held'), 39), random);
    for (let looks = 0; looks < 20; looks++) {
      const [item] = await query<{ id: string }>(
        arena,
        `SELECT w.id FROM jobs.work_items w JOIN jobs.jobs j ON j.id = w.job_id
          WHERE w.state = 'running' AND w.stage = 'whole' AND w.worker LIKE '%-' || $1 || '-%' AND w.attempt = 1
            AND j.original_filename LIKE 'held-%' AND w.started_at > now() - interval '1 second'`,
        [String(pid)],
      ).catch(() => []);
      if (item) return item.id;
      await sleep(100);
    }
  }
  return undefined;
}

/** @returns the attempt that is under way, this one or a later one; undefined where none comes */
async function untilAttempt({ arena }: Scene, item: string, attempt: number): Promise<number | undefined> {
  for (const until = performance.now() + 20_000; performance.now() < until; await sleep(50)) {
    const [row] = await query<{ attempt: number; state: string }>(
      arena,
      'SELECT attempt, state FROM jobs.work_items WHERE id = $1',
      [item],
    ).catch(() => []);
    if (row && row.attempt >= attempt && row.state === 'running') return row.attempt;
    if (row?.state === 'done' || row?.state === 'dropped') return undefined;
  }
  return undefined;
}

/** The clock of one service goes wrong by ten minutes while it runs, and is put right again. */
export const skewed: FaultKind = {
  name: 'clock-skewed',
  plan(random) {
    const name = random.oneOf(SERVICES);
    const clockSkewSeconds = random.chance(0.5) ? 600 : -600;
    const seconds = random.between(3, 8);
    return {
      what: `the clock of ${name} off by ${clockSkewSeconds} s for ${seconds.toFixed(1)} s`,
      touches: [name],
      async happen({ arena }) {
        arena.order(name, { clockSkewSeconds });
        await sleep(seconds * 1000);
        arena.order(name, {});
      },
    };
  },
};
