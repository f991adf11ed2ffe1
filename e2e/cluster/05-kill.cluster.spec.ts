import { describeOnCluster, kubectl, podsOf, until, untilAllReady } from './cluster';
import {
  booksAreRight,
  customer,
  finishedJobs,
  type Job,
  requireInstalled,
  submitted,
  upgrade,
  withoutEngine,
} from './installation';
import { step } from './step';

/** With the null engine of these tests this takes a worker 12 seconds, in one piece. */
const recordingSeconds = 235;
const kinds = ['worker-cpu', 'jobs', 'billing', 'gateway', 'webhooks', 'nats', 'postgres', 'store'];

describeOnCluster('when pods are killed in the middle of a job', () => {
  beforeAll(async () => {
    await requireInstalled();
    await upgrade(withoutEngine);
  }, 260_000);

  for (const kind of kinds) {
    step(`${kind}: the job is completed, and charged once`, 240, async () => {
      const id = await submitted('submit-tone', String(recordingSeconds));
      await until(
        'a worker has the job',
        async () => (await customer<Job>('job', id)).status === 'processing',
        30,
      );
      const pods = (await podsOf(kind)).map(({ metadata }) => `pod/${metadata.name}`);
      expect(pods.length).toBeGreaterThan(0);
      // Not --force: a second Postgres must not come up over the data of the first while that one still runs.
      await kubectl(['delete', ...pods, '--grace-period=1', '--wait=false']);
      const [job] = await finishedJobs([id], 150);
      expect(job).toMatchObject({ status: 'completed', error_message: null, cost_aud: 0.078333 });
      const { counts } = await customer<{ counts: Record<string, number> }>('charges');
      expect(counts[id]).toBe(1);
      await untilAllReady(90);
    });
  }

  it('the books are right', booksAreRight, 90_000);
});
