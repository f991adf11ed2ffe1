import {
  admin,
  chart,
  describeOnCluster,
  gatewayUrl,
  helm,
  isReady,
  podsOf,
  release,
  until,
  untilAllReady,
} from './cluster';
import { customer, finishedJobs, requireInstalled, submitted, valuesArguments } from './installation';
import { clientIsReady, startClient } from './namespaces';
import { remember } from './state';
import { remark, step } from './step';

const readyWithinSeconds = 180;

describeOnCluster('an installation with the values for evaluation', () => {
  step('on an empty cluster has every pod ready in three minutes', 300, async () => {
    const began = performance.now();
    await helm(
      ['install', release, chart, ...valuesArguments(), '--wait', `--timeout=${readyWithinSeconds}s`],
      {
        timeoutSeconds: 240,
      },
    );
    await untilAllReady(readyWithinSeconds);
    const seconds = (performance.now() - began) / 1000;
    const components = [
      ...['gateway', 'webhooks', 'jobs', 'billing', 'worker-cpu', 'admin'],
      ...['postgres', 'nats', 'store'],
    ];
    for (const component of components) {
      const pods = await podsOf(component);
      expect([component, pods.length > 0 && pods.every(isReady)]).toEqual([component, true]);
    }
    remark(`every pod was ready ${seconds.toFixed(1)} s after helm install began`);
    expect(seconds).toBeLessThan(readyWithinSeconds);
  });

  step('has an account made by the operator in the admin pod', 60, async () => {
    await requireInstalled();
    const { account_id, api_key } = await until(
      'the services answer the operator',
      () =>
        admin<{ account_id: string; api_key: string }>(
          ...['account', 'create', '--email', `customer-${Date.now()}@example.com`],
          ...['--free-minutes', '0', '--credit-aud', '1000'],
        ),
      30,
    );
    remember({ accountId: account_id, apiKey: api_key });
    await startClient('customer', { env: { API_KEY: api_key } });
    await clientIsReady('customer');
  });

  step('transcribes a recording that comes through the Service of the gateway', 150, async () => {
    remark(`the recording is sent to ${gatewayUrl} from another namespace`);
    const id = await submitted('submit', '/app/samples/two-voices.ogg', '2');
    const [job] = await finishedJobs([id], 120);
    expect(job).toMatchObject({ status: 'completed', error_message: null });
    const turns = job!.diarization!.split('\n');
    expect(new Set(turns.map((turn) => turn.slice(0, 12)))).toEqual(
      new Set(['[Speaker 1]:', '[Speaker 2]:']),
    );
    expect(job!.transcription!.split(' ').length).toBeGreaterThan(20);
    remember({ firstJob: { id, diarization: job!.diarization! } });
    const { status } = await customer<{ status: number }>('get', '/api/v1/jobs');
    expect(status).toBe(200);
  });

  step('passes helm test', 300, async () => {
    const text = await helm(['test', release, '--logs', '--timeout=280s'], { timeoutSeconds: 290 });
    expect(text).toMatch(/Phase:\s+Succeeded/);
    expect(text).toMatch(/\[Speaker 2\]: /);
  });
});
