import { admin, describeOnCluster, kubectl, kubectlOutcome, podsOf, until, untilAllReady } from './cluster';
import { booksAreRight, customer, finishedJobs, type Job, requireInstalled, submitted } from './installation';
import { step } from './step';

const uploads = 6;

describeOnCluster('when a node is drained', () => {
  let node: string;

  beforeAll(async () => {
    await requireInstalled();
    const [worker] = await podsOf('worker-cpu');
    node = worker!.spec.nodeName!;
  }, 60_000);

  afterAll(async () => {
    if (node) await kubectl(['uncordon', node]);
  });

  step('uploads in flight are finished, and work goes back without a failed attempt', 300, async () => {
    const job = await submitted('submit-tone', '235');
    await until(
      'a worker has the job',
      async () => (await customer<Job>('job', job)).status === 'processing',
      30,
    );
    // So many that every gateway has some of them.
    const sending = Promise.all(
      Array.from({ length: uploads }, () => submitted('submit-slowly', '/app/samples/two-voices.ogg', '30')),
    );
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const gateways = await podsOf('gateway');

    const { stderr } = await kubectlOutcome(
      [
        ...['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=20s'],
        `--pod-selector=app.kubernetes.io/instance=currawong,app.kubernetes.io/component in (gateway,worker-cpu)`,
      ],
      { timeoutSeconds: 60 },
    );
    const left = await podsOf('gateway');
    const gone = gateways.filter((old) => !left.some(({ metadata }) => metadata.name === old.metadata.name));
    expect(gone.length).toBeGreaterThan(0);
    const isOnlyNode = (await kubectl(['get', 'nodes', '--output=name'])).trim().split('\n').length === 1;
    // With nowhere to go, the last gateway is kept by its budget.
    if (isOnlyNode) {
      expect(stderr).toMatch(/would violate the pod's disruption budget/);
      expect((await customer<Job>('job', job)).status).not.toBe('completed');
    }
    await kubectl(['uncordon', node]);

    const recordings = await sending;
    const jobs = await finishedJobs([job, ...recordings], 150);
    expect(jobs.map(({ status }) => status)).toEqual(Array.from({ length: uploads + 1 }, () => 'completed'));
    const { work } = await admin<{ work: { failures: number; attempt: number }[] }>('job', 'show', job);
    expect(work.map(({ failures }) => failures)).toEqual([0]);
    await untilAllReady(90);
  });

  it('the books are right', booksAreRight, 90_000);
});
