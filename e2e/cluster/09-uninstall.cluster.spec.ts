import { admin, chart, describeOnCluster, helm, kubectl, release, until, untilAllReady } from './cluster';
import {
  booksAreRight,
  customer,
  finishedJobs,
  requireInstalled,
  submitted,
  valuesArguments,
  withoutEngine,
} from './installation';
import { removeNamespaces } from './namespaces';
import { remembered } from './state';
import { step } from './step';

const ofServers = 'app.kubernetes.io/component in (postgres,nats,store)';
const ofRelease = `--selector=app.kubernetes.io/instance=${release}`;

describeOnCluster('uninstalling', () => {
  beforeAll(requireInstalled, 60_000);

  step('keeps data: a new installation has the account, its key and the transcript', 300, async () => {
    await helm(['uninstall', release, '--wait', '--timeout=120s'], { timeoutSeconds: 130 });
    // Each volume is for one server at a time; services that are still ending are in nobody's way.
    await until(
      'no server is left',
      async () => (await kubectl(['get', 'pods', `${ofRelease},${ofServers}`, '--output=name'])) === '',
      90,
    );
    await helm(['install', release, chart, ...valuesArguments(withoutEngine), '--wait', '--timeout=180s'], {
      timeoutSeconds: 240,
    });
    await untilAllReady(60);
    const { id, diarization } = remembered('firstJob');
    const [job] = await finishedJobs([id], 60);
    expect(job).toMatchObject({ status: 'completed', diarization });
    const account = remembered('accountId');
    expect(JSON.stringify(await admin('account', 'show', account))).toContain(account);
    const [next] = await finishedJobs([await submitted('submit', '/client/recording.ogg', '1')], 60);
    expect(next).toMatchObject({ status: 'completed' });
    expect(await customer<{ status: number }>('get', '/api/v1/credit')).toMatchObject({ status: 200 });
    await booksAreRight();
  });

  step('and then removing its pods, volumes and Secrets leaves nothing', 300, async () => {
    await helm(['uninstall', release, '--wait', '--timeout=120s'], { timeoutSeconds: 130 });
    await kubectl(['delete', 'pods,persistentvolumeclaims,secrets', ofRelease, '--timeout=170s'], {
      timeoutSeconds: 180,
    });
    const kinds = (await kubectl(['api-resources', '--namespaced', '--verbs=list', '--output=name']))
      .trim()
      .split('\n');
    const asked = kinds.filter((kind) => !/^events|metrics\.k8s\.io$/.test(kind)).join(',');
    const left = async () =>
      (await kubectl(['get', asked, ofRelease, '--output=name', '--ignore-not-found'])).trim();
    await until('nothing of the release is left', async () => (await left()) === '', 60).catch(
      async (error: Error) => {
        throw new Error(`${error.message}: ${await left()}`);
      },
    );
    const volumes = await kubectl([
      'get',
      'persistentvolumes',
      '--output=jsonpath={.items[*].spec.claimRef.namespace}',
    ]);
    expect(volumes.split(' ')).not.toContain('currawong-test');
  });

  it('nothing of these tests is left', removeNamespaces, 260_000);
});
