import { join } from 'node:path';
import {
  chartFolder,
  describeWithHelm,
  parseObjects,
  renderChart,
  repositoryFolder,
  runHelm,
  type Rendered,
} from './render';
import { evaluation, named, ofKind, production, workload, workloadsOf } from './workloads';

const servers = ['postgres', 'nats', 'store'] as const;

/** What `helm upgrade` would make. */
function renderUpgrade(values: string): Rendered[] {
  return parseObjects(
    runHelm(
      ...['template', 'currawong', chartFolder, '--namespace', 'currawong', '--is-upgrade'],
      ...['--values', join(repositoryFolder, values)],
    ),
  );
}

describeWithHelm('the servers of an evaluation', () => {
  it.each(servers)('%s is not started anew by another version of Currawong', (server) => {
    const template = (sets = {}) => workload(renderChart([evaluation], sets), server).object['spec'].template;
    const text = JSON.stringify(template());
    expect(text).not.toMatch(/helm\.sh\/chart|app\.kubernetes\.io\/version|managed-by/);
    expect(template({ 'image.tag': '9.9.9' })).toEqual(template());
    expect(template({ 'gateway.replicas': 5, logLevel: 'debug' })).toEqual(template());
  });

  it.each(servers)('%s keeps its volume when the release goes', (server) => {
    const { spec } = workload(renderChart([evaluation]), server).object;
    expect(spec.persistentVolumeClaimRetentionPolicy).toEqual({
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
    });
    const [claim] = spec.volumeClaimTemplates;
    // Claims cannot be changed: nothing of a version may be in them either.
    expect(claim.metadata).toEqual({ name: 'data' });
  });

  it.each(servers)(
    '%s gets its volume from a container that is root only where that is asked for',
    (server) => {
      const pod = (sets = {}) =>
        workload(renderChart([evaluation], sets), server).object['spec'].template.spec;
      expect(pod().initContainers).toBeUndefined();
      const [container] = pod({ 'evaluation.volumePermissions': true }).initContainers;
      expect(container.command.at(-1)).toBe('chown 65532:65532 /data');
      expect(container.securityContext).toMatchObject({
        runAsUser: 0,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'], add: ['CHOWN'] },
      });
    },
  );

  it.each(servers)('%s is there before the migrations, under Argo CD too', (server) => {
    const objects = renderChart([evaluation]);
    const wave = ({ metadata }: Rendered) =>
      Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0);
    const needed = objects.filter(
      ({ kind, metadata }) =>
        ['StatefulSet', 'Service', 'ConfigMap'].includes(kind) && metadata.name === `currawong-${server}`,
    );
    expect(needed.length).toBeGreaterThanOrEqual(2);
    for (const one of needed) expect([one.kind, wave(one)]).toEqual([one.kind, -2]);
    expect(wave(workload(objects, 'migrate').object)).toBe(-1);
    // Where it is known already, it must not be started anew: the wave is no part of its pod.
    expect(JSON.stringify(workload(objects, server).object['spec'])).not.toContain('sync-wave');
  });

  it('are not there in production', () => {
    expect(ofKind(renderChart([production]), 'StatefulSet')).toEqual([]);
  });
});

describeWithHelm('the Secrets of an evaluation', () => {
  const hooks = () =>
    renderChart([evaluation]).filter(({ metadata }) => metadata.name === 'currawong-secrets');

  it('are made before everything else, by a Job whose rights go with it', () => {
    const order = hooks().map(
      ({ kind, metadata }) => [kind, Number(metadata.annotations?.['helm.sh/hook-weight'])] as const,
    );
    const job = order.find(([kind]) => kind === 'Job')!;
    expect(order.map(([kind]) => kind).sort()).toEqual([
      'Job',
      'NetworkPolicy',
      'Role',
      'RoleBinding',
      'ServiceAccount',
    ]);
    for (const [kind, weight] of order)
      if (kind !== 'Job') expect([kind, weight < job[1]]).toEqual([kind, true]);
    for (const { metadata } of hooks()) {
      expect(metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
      expect(metadata.annotations?.['helm.sh/hook-delete-policy']).toBe(
        'before-hook-creation,hook-succeeded',
      );
    }
  });

  it('the Job may make Secrets, and read and amend those that it makes: nothing more', () => {
    expect(named(hooks(), 'Role', 'currawong-secrets')['rules']).toEqual([
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      {
        apiGroups: [''],
        resources: ['secrets'],
        verbs: ['get', 'patch'],
        resourceNames: ['currawong-databases', 'currawong-nats', 'currawong-store', 'currawong-evaluation'],
      },
    ]);
    expect(ofKind(renderChart([production]), 'Role')).toEqual([]);
  });
});

describeWithHelm.each([evaluation, production])('the migrations of %s', (values) => {
  const job = (objects: Rendered[]) => workloadsOf(objects).find(({ component }) => component === 'migrate')!;

  it('run beside the services at install, and before them at upgrade', () => {
    const hook = (objects: Rendered[]) => job(objects).object.metadata.annotations?.['helm.sh/hook'];
    expect([hook(renderChart([values])), hook(renderUpgrade(values))]).toEqual([undefined, 'pre-upgrade']);
  });

  it('bring the schema of each service up to date, with the role of that service', () => {
    const containers = job(renderChart([values])).containers.filter(({ name }) => name !== 'store');
    expect(
      containers.map(({ name, command, env }) => [
        name,
        command.at(-1),
        env?.find((one) => one.name === 'DATABASE_URL')?.valueFrom,
      ]),
    ).toEqual(
      ['gateway', 'jobs', 'billing'].map((service) => [
        service,
        `apps/${service}/dist/migrate.js`,
        { secretKeyRef: { name: 'currawong-databases', key: service } },
      ]),
    );
  });

  it('leave the pods that failed, and have time to wait for the database and for a long statement', () => {
    const { pod, object } = job(renderChart([values]));
    expect(pod.restartPolicy).toBe('Never');
    expect(object['spec'].activeDeadlineSeconds).toBeGreaterThan(120 + 900);
  });

  it('are run by Argo CD too, before the services', () => {
    expect(job(renderChart([values])).object.metadata.annotations).toMatchObject({
      'argocd.argoproj.io/hook': 'Sync',
      'argocd.argoproj.io/sync-wave': '-1',
    });
  });
});
