import { randomUUID } from 'node:crypto';
import {
  clientNamespace,
  describeOnCluster,
  helm,
  kubectl,
  kubectlJson,
  podsOf,
  release,
  until,
} from './cluster';
import { booksAreRight, changed, requireInstalled, upgrade, withoutEngine } from './installation';
import { startClient } from './namespaces';
import { remembered } from './state';
import { remark, step } from './step';

// With more, two cores have nothing left for five new processes that start beside the old ones.
const perSecond = 3;
const replaced = ['gateway', 'webhooks', 'jobs', 'billing', 'worker-cpu'];

// A machine that is busy with something else answers too late whatever is upgraded: once more, and what failed is printed.
jest.retryTimes(1, { logErrorsBeforeRetry: true });

describeOnCluster(`under ${perSecond} submissions a second`, () => {
  beforeAll(async () => {
    await requireInstalled();
    await upgrade(withoutEngine, changed('before'));
  }, 260_000);

  step(
    'an upgrade that replaces every service loses nothing and answers nothing with an error',
    500,
    async () => {
      const version = randomUUID();
      await underLoad(async () => {
        await upgrade(withoutEngine, changed(version));
      });
      expect(await versions()).toEqual([version]);
    },
  );

  step('a rollback does neither', 500, async () => {
    const versionsBefore = await versions();
    await underLoad(async () => {
      await helm(['rollback', release, '--wait', '--timeout=180s'], { timeoutSeconds: 240 });
    });
    const versionsAfter = await versions();
    expect(versionsAfter).toHaveLength(1);
    expect(versionsAfter).not.toEqual(versionsBefore);
  });

  it('the books are right', booksAreRight, 90_000);
});

interface Report {
  seconds: number;
  submitted: number;
  accepted: number;
  answers: Record<string, number>;
  problems: string[];
  completed: number;
  others: object[];
  chargedOnce: number;
  medianMilliseconds: number;
  slowestMilliseconds: number;
}

/** Load from before the first pod is replaced until after the last one is gone; then everything accepted must be done. */
async function underLoad(run: () => Promise<void>): Promise<void> {
  const name = `load-${randomUUID()}`;
  const inClients = ['--namespace', clientNamespace];
  const before = new Set(await namesOf(replaced));
  await startClient(name, {
    command: ['node', '/client/load.mjs'],
    env: { API_KEY: remembered('apiKey'), PER_SECOND: String(perSecond) },
  });
  const logs = () => kubectl([...inClients, 'logs', name]);
  try {
    await until('the load has begun', async () => /accepted/.test(await logs()), 60);
    await run();
    await until(
      'the old pods are gone',
      async () => {
        const { items } = await kubectlJson<{ items: { metadata: { name: string } }[] }>(['get', 'pods']);
        return !items.some(({ metadata }) => before.has(metadata.name));
      },
      150,
    );
    const stop = `require('node:fs').writeFileSync('/tmp/stop', '')`;
    await kubectl([...inClients, 'exec', name, '--', 'node', '--eval', stop]);
    const report = await until(
      'the load has reported',
      async () => JSON.parse((await logs()).trim().split('\n').at(-1)!) as Report,
      260,
    );
    const { submitted, accepted, answers, problems, completed, others, chargedOnce } = report;
    remark(
      `${submitted} submissions in ${report.seconds} s, receipts after ${report.medianMilliseconds} ms (median), ` +
        `${report.slowestMilliseconds} ms (slowest); answers ${JSON.stringify(answers)}`,
    );
    expect({ problems, others }).toEqual({ problems: [], others: [] });
    expect({ accepted, completed, chargedOnce }).toEqual({
      accepted: submitted,
      completed: submitted,
      chargedOnce: submitted,
    });
    expect(submitted).toBeGreaterThan(0.9 * perSecond * report.seconds);
  } finally {
    await kubectl([...inClients, 'delete', 'pod', name, '--ignore-not-found', '--wait=false']);
  }
}

async function namesOf(components: readonly string[]): Promise<string[]> {
  const pods = await Promise.all(components.map((component) => podsOf(component)));
  return pods.flat().map(({ metadata }) => metadata.name);
}

/** What the pods of the services say that they are. */
async function versions(): Promise<string[]> {
  const found = new Set<string>();
  for (const component of replaced) {
    for (const { metadata } of await podsOf(component)) {
      const { annotations } = metadata as { annotations?: Record<string, string> };
      found.add(annotations?.['currawong.test/version'] ?? 'none');
    }
  }
  return [...found];
}
