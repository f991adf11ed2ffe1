import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerName } from '@currawong/local-platform';
import { Arena } from './arena/arena';
import type { PlannedFault } from './faults/fault';
import { natsOlderCopy, uploadsUnderWay } from './faults/servers';
import { Random } from './random';
import { FaultRun } from './run';
import { Timeline } from './timeline';

// Outages by name, each followed by a check of every invariant, over one platform: what one leaves behind the next one finds.
// By hand as long as in real life: CURRAWONG_OUTAGE_SECONDS=60.
const OUTAGE_SECONDS = Number(process.env['CURRAWONG_OUTAGE_SECONDS'] ?? 12);
const repositoryFolder = join(__dirname, '..', '..', '..');

let arena: Arena;
let run: FaultRun;
const timeline = new Timeline();

beforeAll(async () => {
  arena = await Arena.open({ repositoryFolder, toolsFolder: join(repositoryFolder, '.currawong') });
  const options = { seed: 1, seconds: 0, kinds: [], outageSeconds: OUTAGE_SECONDS };
  run = await FaultRun.over(arena, { ...options, quietWithinSeconds: 75, paceSeconds: 0.7 }, timeline);
}, 240_000);

afterAll(async () => {
  await run?.close();
  await arena?.close(false);
}, 60_000);

/** One round of load with this in the middle of it. @returns what is broken, and whether any process was started anew */
async function round(what: string, touches: readonly string[], happen: PlannedFault['happen']) {
  const pids = arena.services.pids();
  const fault = { kind: 'outage', what, touches, happen };
  const problems = await run.round({ faults: [fault], delays: [3], loadSeed: 11 });
  const seen = problems.length > 0 ? `${problems.join('\n')}\n${timeline.toString()}` : '';
  return {
    seen,
    restarted: Object.entries(arena.services.pids()).filter(([name, pid]) => pids[name] !== pid),
  };
}

const AWAY: readonly (readonly [ServerName, NodeJS.Signals, string])[] = [
  ['postgres', 'SIGQUIT', 'stopped immediately'],
  ['nats', 'SIGKILL', 'killed'],
  ['s3', 'SIGKILL', 'killed'],
];

it.each(AWAY)(
  'after an outage of %s under load everything is healthy within 15 s, without a restart, and every receipt holds',
  async (server, signal, how) => {
    const outcome = await round(`${server} ${how}`, [server], async (scene) => {
      await scene.arena.downServer(server, signal);
      await sleep(OUTAGE_SECONDS * 1000);
      await scene.arena.resumeServer(server);
    });
    expect(outcome).toEqual({ seen: '', restarted: [] });
  },
  420_000,
);

it('with an older copy of the store of NATS everything completes, and nobody does anything', async () => {
  const fault = natsOlderCopy.plan(new Random(3));
  expect(fault.what).toContain('s old');
  expect(await round(fault.what, fault.touches, (scene) => fault.happen(scene))).toEqual({
    seen: '',
    restarted: [],
  });
}, 420_000);

it('with the store down during uploads clients get an honest error within 60 s, and nothing is left behind', async () => {
  const before = { ...run.load.record.counts };
  const outcome = await round('s3 killed during uploads', ['s3'], async (scene) => {
    const uploads = uploadsUnderWay(scene, new Random(5), 4);
    await sleep(1_000);
    await scene.arena.downServer('s3', 'SIGKILL');
    await uploads;
    await scene.arena.resumeServer('s3');
  });
  // Longer than 60 s, or without a reason, would be among what is broken.
  expect(outcome).toEqual({ seen: '', restarted: [] });
  const refused = Object.entries(run.load.record.counts)
    .filter(([what]) => /^POST \/transcribe 5\d\d$/.test(what))
    .reduce((sum, [what, count]) => sum + count - (before[what] ?? 0), 0);
  expect(refused).toBeGreaterThanOrEqual(4);
}, 420_000);
