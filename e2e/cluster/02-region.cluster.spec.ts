import { parseObjects, type Rendered } from '../chart/render';
import {
  apply,
  chart,
  cluster,
  describeOnCluster,
  helm,
  helmOutcome,
  kubectl,
  kubectlJson,
  type Pod,
  until,
} from './cluster';
import { valuesArguments } from './installation';
import { step } from './step';

/** Another region of the country: allowed by the chart, but not where these nodes are. */
const elsewhere = () => (cluster().region === 'ap-southeast-4' ? 'ap-southeast-2' : 'ap-southeast-4');

describeOnCluster('the region', () => {
  step('a pod of the chart waits where the nodes are in another region, and says why', 60, async () => {
    await apply([await podOf('gateway', 'region-elsewhere', elsewhere())]);
    const { message } = await until(
      'the scheduler has looked at the pod',
      async () => scheduled(await pod('region-elsewhere')),
      30,
    );
    expect(message).toMatch(/didn't match Pod's node affinity/);
    expect((await pod('region-elsewhere')).status.phase).toBe('Pending');
  });

  step('the same pod is scheduled where they are in the right one', 60, async () => {
    await apply([await podOf('gateway', 'region-here', cluster().region)]);
    const { status } = await until(
      'the pod has a node',
      async () => {
        const condition = scheduled(await pod('region-here'));
        return condition?.status === 'True' && condition;
      },
      30,
    );
    expect(status).toBe('True');
    expect(scheduled(await pod('region-elsewhere'))?.status).toBe('False');
    await kubectl(['delete', 'pod', 'region-here', 'region-elsewhere', '--grace-period=0', '--force']);
  });

  step('an installation that asks for nodes of its region says which there are instead', 60, async () => {
    const { exitCode, stderr } = await helmOutcome([
      ...['install', 'currawong', chart, ...valuesArguments(), '--dry-run=server'],
      ...['--set', `region=${elsewhere()}`, '--set', 'requireRegionNodes=true'],
    ]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(
      `The nodes of this cluster are in ${cluster().region}, and region is ${elsewhere()}`,
    );
  });
});

/** A pod just as the chart has it for a component, but by itself: under a name of its own and without its account. */
async function podOf(component: string, name: string, region: string): Promise<object> {
  const manifest = await helm([
    'template',
    'currawong',
    chart,
    ...valuesArguments(),
    '--set',
    `region=${region}`,
  ]);
  const deployment = parseObjects(manifest).find(
    ({ kind, metadata }) =>
      kind === 'Deployment' && metadata.labels?.['app.kubernetes.io/component'] === component,
  ) as Rendered & { spec: { template: { spec: object } } };
  const { spec } = deployment.spec.template;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { ...spec, serviceAccountName: 'default' },
  };
}

function pod(name: string): Promise<Pod> {
  return kubectlJson<Pod>(['get', 'pod', name]);
}

function scheduled({ status }: Pod) {
  return status.conditions?.find(({ type }) => type === 'PodScheduled');
}
