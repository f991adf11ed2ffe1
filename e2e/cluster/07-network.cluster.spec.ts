import { createServer, type Server } from 'node:http';
import {
  apply,
  clientNamespace,
  cluster,
  describeOnCluster,
  evaluateIn,
  kubectl,
  kubectlJson,
  namespace,
  podsOf,
  release,
} from './cluster';
import { requireInstalled } from './installation';
import { outcomeOf } from './program';
import { remark, step } from './step';

const metadata = '169.254.169.254:80';
const postgres = `${release}-postgres.${namespace}:5432`;
const nats = `${release}-nats.${namespace}:4222`;
const store = `${release}-store.${namespace}:8333`;
const gateway = `${release}-gateway.${namespace}:80`;
const kubernetes = 'kubernetes.default:443';

describeOnCluster('the network', () => {
  let stopMetadata: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    await requireInstalled();
    if (!cluster().isGiven) stopMetadata = await pretendMetadata();
    await apply([operationsOfJobs()]);
  }, 60_000);

  afterAll(async () => {
    await stopMetadata?.();
    await kubectl(['delete', 'service', 'operations-of-jobs', '--ignore-not-found']);
  });

  step('of a worker leads to NATS and the store, and not to Postgres', 60, async () => {
    expect(await reached('worker-cpu', [nats, store, postgres, kubernetes])).toEqual([nats, store]);
  });

  step('of the services leads to Postgres, which those before did not reach', 60, async () => {
    expect(await reached('gateway', [postgres, nats, store])).toEqual([postgres, nats, store]);
    expect(await reached('jobs', [postgres, nats, store, kubernetes])).toEqual([postgres, nats, store]);
    expect(await reached('billing', [postgres, nats, store, kubernetes])).toEqual([postgres, nats]);
    expect(await reached('webhooks', [postgres, nats, store, metadata, kubernetes])).toEqual([
      postgres,
      nats,
    ]);
  });

  step('of the gateway leads neither to the metadata of the cloud nor to Kubernetes', 60, async () => {
    expect(await reached('gateway', [metadata, kubernetes])).toEqual([]);
    // From elsewhere both are there, or the line above would say nothing.
    const fromElsewhere = await reachedFrom('customer', clientNamespace, [metadata, kubernetes]);
    expect(fromElsewhere).toContain(kubernetes);
    if (fromElsewhere.includes(metadata)) return;
    if (!cluster().isGiven) throw new Error(`The pretended ${metadata} is reached by nobody.`);
    remark(
      `nothing answers at ${metadata} in this cluster: that the gateway cannot reach it says little here`,
    );
  });

  step('leads a stranger to the public port of the gateway, and to nothing else', 60, async () => {
    const { spec } = await kubectlJson<{ spec: { clusterIP: string } }>([
      'get',
      'service',
      'operations-of-jobs',
    ]);
    const operations = `${spec.clusterIP}:9090`;
    expect(
      await reachedFrom('customer', clientNamespace, [gateway, nats, postgres, store, operations]),
    ).toEqual([gateway]);
    // NATS, Postgres and the store answer others above; jobs answers itself.
    expect(await reached('jobs', ['127.0.0.1:9090'])).toEqual(['127.0.0.1:9090']);
  });
});

async function reached(component: string, targets: readonly string[]): Promise<string[]> {
  const [pod] = await podsOf(component);
  return reachedFrom(pod!.metadata.name, namespace, targets);
}

/** Which of the addresses take a connection from inside of the pod, within three seconds. */
function reachedFrom(pod: string, inNamespace: string, targets: readonly string[]): Promise<string[]> {
  const script = `
    const { connect } = require('node:net');
    const reached = (target) => new Promise((resolve) => {
      const [host, port] = target.split(':');
      const socket = connect({ host, port, timeout: 3000 });
      const done = (yes) => { socket.destroy(); resolve(yes ? [target] : []); };
      socket.once('connect', () => done(true)).once('error', () => done(false)).once('timeout', () => done(false));
    });
    Promise.all(${JSON.stringify(targets)}.map(reached)).then((lists) => console.log(JSON.stringify(lists.flat())));
  `;
  return evaluateIn<string[]>(pod, script, inNamespace);
}

/** The chart has a Service for the metrics of jobs only where something scales by them. */
function operationsOfJobs() {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'operations-of-jobs', namespace },
    spec: {
      selector: { 'app.kubernetes.io/instance': release, 'app.kubernetes.io/component': 'jobs' },
      ports: [{ port: 9090 }],
    },
  };
}

/** Something that answers where a cloud has its metadata, on the device that the node of this machine has for itself. */
async function pretendMetadata(): Promise<() => Promise<void>> {
  const [host, port] = metadata.split(':') as [string, string];
  await outcomeOf('ip', ['address', 'add', `${host}/32`, 'dev', 'hk8s0']);
  const server: Server = createServer((_, answer) => answer.end('metadata\n'));
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(Number(port), host, resolve),
  );
  return async () => {
    await new Promise((resolve) => server.close(resolve));
    await outcomeOf('ip', ['address', 'delete', `${host}/32`, 'dev', 'hk8s0']);
  };
}
