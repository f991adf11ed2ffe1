import { violationsOfRestricted } from './pod-security';
import { describeWithHelm, renderChart, type Rendered } from './render';
import {
  type Container,
  environmentOf,
  evaluation,
  ofKind,
  quantity,
  selects,
  shippedValues,
  workload,
  workloadsOf,
} from './workloads';

describeWithHelm.each(shippedValues)('every pod that %s makes', (values) => {
  let objects: Rendered[];
  beforeAll(() => (objects = renderChart([values])));
  const workloads = () => workloadsOf(objects);
  const containers = () =>
    workloads().flatMap(({ name, containers }) =>
      containers.map((one): Container & { in: string } => ({ ...one, in: name })),
    );

  it('keeps the restricted Pod Security Standard, with a root file system that cannot be written', () => {
    expect(
      workloads().flatMap(({ name, pod }) => violationsOfRestricted(pod).map((one) => `${name}: ${one}`)),
    ).toEqual([]);
    for (const { securityContext } of containers()) expect(securityContext.readOnlyRootFilesystem).toBe(true);
  });

  it('is of a version that has a name', () => {
    for (const { image } of containers()) {
      expect(image).toMatch(/^\S+:[^:/]+$/);
      expect(image).not.toMatch(/:latest$/);
    }
  });

  it('says what it needs, and how much memory it may use', () => {
    for (const { in: owner, name, resources } of containers()) {
      const { requests = {}, limits = {} } = resources ?? {};
      const where = `${owner}/${name}`;
      expect([where, quantity(requests['cpu'] ?? 0) > 0, quantity(requests['memory'] ?? 0) > 0]).toEqual([
        where,
        true,
        true,
      ]);
      expect(quantity(limits['memory'] ?? 0)).toBeGreaterThanOrEqual(quantity(requests['memory'] ?? 0));
    }
  });

  it('has an account of its own that cannot speak to the cluster, but for the Job that makes Secrets', () => {
    const accounts = ofKind(objects, 'ServiceAccount');
    for (const { name, component, pod } of workloads()) {
      expect([name, pod.serviceAccountName]).toEqual([name, `currawong-${component}`]);
      expect(accounts.map(({ metadata }) => metadata.name)).toContain(pod.serviceAccountName);
      expect([name, pod.automountServiceAccountToken]).toEqual([name, component === 'secrets']);
      expect(pod.enableServiceLinks).toBe(false);
    }
    for (const account of accounts) expect(account['automountServiceAccountToken']).toBe(false);
  });

  it('can be on nodes of the region alone', () => {
    const region = environmentOf(workload(objects, 'gateway').containers[0]!)['CURRAWONG_REGION'];
    for (const { name, pod } of workloads()) {
      const terms =
        pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
      const wanted = [
        { matchExpressions: [{ key: 'topology.kubernetes.io/region', operator: 'In', values: [region] }] },
      ];
      expect([name, terms]).toEqual([name, wanted]);
    }
  });

  it('that lasts has probes, and a budget for drains that neither blocks them nor takes all', () => {
    const budgets = ofKind(objects, 'PodDisruptionBudget');
    for (const { name, labels, containers } of workloads().filter(({ lasting }) => lasting)) {
      for (const { startupProbe, livenessProbe, readinessProbe } of containers) {
        expect([name, !!startupProbe, !!livenessProbe, !!readinessProbe]).toEqual([name, true, true, true]);
      }
      const budgeted = budgets.filter(({ spec }) => selects(spec.selector, labels));
      expect([name, budgeted.map(({ spec }) => spec.maxUnavailable)]).toEqual([name, [1]]);
    }
  });

  it('is selected by its own workload and by no other', () => {
    const lasting = workloads().filter(({ lasting }) => lasting);
    for (const { object, name } of lasting) {
      const selected = workloads().filter(({ labels }) => selects(object['spec'].selector, labels));
      expect(selected.map((one) => one.name)).toEqual([name]);
    }
  });

  it('gets secrets by reference: no Secret is in the manifest, and no variable holds one', () => {
    expect(ofKind(objects, 'Secret')).toEqual([]);
    for (const { env = [] } of containers()) {
      for (const { name, value } of env) {
        if (/SECRET|PASSWORD|TOKEN|SEED|ACCESS_KEY|DATABASE_URL|SMTP_URL/.test(name))
          expect([name, value]).toEqual([name, undefined]);
        expect(value ?? '').not.toMatch(/:\/\/[^/]*@/);
      }
      expect(env.map(({ name }) => name)).toHaveLength(new Set(env.map(({ name }) => name)).size);
    }
  });

  it('of a service is given more time to end than the service takes', () => {
    const services = workloads().filter(
      ({ containers }) => 'SHUTDOWN_GRACE_SECONDS' in environmentOf(containers[0]!),
    );
    expect(services.length).toBeGreaterThanOrEqual(4);
    for (const { pod, containers } of services) {
      const { SHUTDOWN_GRACE_SECONDS: grace, DRAIN_DELAY_SECONDS: delay } = environmentOf(containers[0]!);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(grace) + Number(delay) + 10);
    }
  });

  it('is replaced only when its successor is there; only a GPU, which two pods cannot have, is freed first', () => {
    for (const { object, component } of workloads().filter(({ kind }) => kind === 'Deployment')) {
      const { maxSurge, maxUnavailable } = object['spec'].strategy.rollingUpdate;
      if (component === 'worker-gpu') expect([maxSurge, maxUnavailable]).toEqual([0, 1]);
      else expect([component, maxUnavailable, maxSurge === 0]).toEqual([component, 0, false]);
    }
  });

  it('is spread over zones and nodes', () => {
    for (const { name, pod, labels } of workloads().filter(({ kind }) => kind === 'Deployment')) {
      const constraints: { topologyKey: string; labelSelector: { matchLabels: Record<string, string> } }[] =
        pod.topologySpreadConstraints;
      expect([name, constraints.map(({ topologyKey }) => topologyKey).sort()]).toEqual([
        name,
        ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'],
      ]);
      for (const { labelSelector } of constraints) expect(selects(labelSelector, labels)).toBe(true);
    }
  });
});

describeWithHelm('the evaluation', () => {
  it('fits a laptop: 1.2 cores and 2.5 GiB for the pods that last, and for the Jobs of the first minute 0.2 cores more', () => {
    const sum = (resource: string, lasting: boolean) =>
      workloadsOf(renderChart([evaluation]))
        .filter((one) => one.lasting === lasting && one.component !== 'check')
        .flatMap(({ object, containers }) =>
          containers.map(
            ({ resources }) =>
              quantity(resources?.requests?.[resource] ?? 0) * (object['spec'].replicas ?? 1),
          ),
        )
        .reduce((a, b) => a + b, 0);
    expect(sum('cpu', true)).toBeLessThanOrEqual(1.2);
    expect(sum('cpu', false)).toBeLessThanOrEqual(0.2);
    expect(sum('memory', true)).toBeLessThanOrEqual(2.5 * 2 ** 30);
  });
});

describe('the check of the Pod Security Standard', () => {
  const container = {
    name: 'c',
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
  const good = {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
    volumes: [{ name: 'v', emptyDir: {} }],
  };

  it('has nothing against a pod that keeps it', () => expect(violationsOfRestricted(good)).toEqual([]));

  it.each([
    ['hostNetwork is set', { ...good, hostNetwork: true }],
    ['volume h is of type hostPath', { ...good, volumes: [{ name: 'h', hostPath: { path: '/' } }] }],
    ['c: has no seccomp profile', { ...good, securityContext: { runAsNonRoot: true } }],
    [
      'c: runAsNonRoot is not true',
      { ...good, securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
    ],
    [
      'c: does not drop ALL capabilities',
      { ...good, containers: [{ ...container, securityContext: { allowPrivilegeEscalation: false } }] },
    ],
    ['c: host port 80', { ...good, containers: [{ ...container, ports: [{ hostPort: 80 }] }] }],
    [
      'c: a probe or hook names a host',
      { ...good, containers: [{ ...container, livenessProbe: { httpGet: { host: '169.254.169.254' } } }] },
    ],
    [
      'sysctl kernel.msgmax',
      { ...good, securityContext: { ...good.securityContext, sysctls: [{ name: 'kernel.msgmax' }] } },
    ],
  ])('finds: %s', (sentence, pod) => expect(violationsOfRestricted(pod)).toEqual([sentence]));
});
