import { describeOnCluster, kubectlJson, prepared, until } from './cluster';
import {
  booksAreRight,
  finishedJobs,
  requireInstalled,
  submitted,
  upgrade,
  withoutEngine,
} from './installation';
import { remark, step } from './step';

const recordings = 6;
const recordingSeconds = 60;
const mostWorkers = 3;

/** From nothing to as many workers as the waiting audio asks for, and to nothing again. */
const autoscaled = {
  workers: {
    cpu: {
      slots: 1,
      // A recording of a minute takes a worker 18 seconds.
      settings: { RECOGNIZER: 'null', NULL_ENGINE_SLEEP_FACTOR: '0.3' },
      resources: { requests: { cpu: '50m', memory: '128Mi' } },
      autoscaling: {
        enabled: true,
        minReplicas: 0,
        maxReplicas: mostWorkers,
        audioSecondsPerReplica: { speech: 60 },
        cooldownSeconds: 20,
        pollingIntervalSeconds: 5,
      },
    },
  },
};

const describeWithKeda = prepared?.hasKeda ? describeOnCluster : describe.skip;

describeWithKeda('with KEDA', () => {
  beforeAll(async () => {
    await requireInstalled();
    await upgrade(withoutEngine, autoscaled);
  }, 260_000);

  afterAll(async () => {
    await upgrade(withoutEngine);
  }, 260_000);

  step(
    'workers come from nothing to as many as the audio asks for, and go when it is done',
    400,
    async () => {
      await until('no worker is left', async () => (await workers()) === 0, 120);
      const began = performance.now();
      const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
      const ids: string[] = [];
      for (let count = 0; count < recordings; count++) {
        ids.push(await submitted('submit-tone', String(recordingSeconds)));
      }
      await until('there is a worker', async () => (await workers()) > 0, 60);
      remark(`the first worker was asked for after ${seconds()}`);
      await until(`there are ${mostWorkers} workers`, async () => (await workers()) === mostWorkers, 60);
      remark(`all ${mostWorkers} after ${seconds()}`);
      const jobs = await finishedJobs(ids, 200);
      expect(jobs.map(({ status }) => status)).toEqual(ids.map(() => 'completed'));
      remark(`${recordings} recordings of ${recordingSeconds} s were done after ${seconds()}`);
      await until('no worker is left', async () => (await workers()) === 0, 120);
      remark(`no worker is left after ${seconds()}`);
    },
  );

  it('the books are right', booksAreRight, 90_000);
});

async function workers(): Promise<number> {
  const { spec } = await kubectlJson<{ spec: { replicas: number } }>([
    ...['get', 'deployment', 'currawong-worker-cpu'],
  ]);
  return spec.replicas;
}
