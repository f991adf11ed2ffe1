import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import {
  chartFolder,
  describeWithHelm,
  renderChart,
  repositoryFolder,
  runHelm,
  type Rendered,
} from './render';
import {
  environmentOf,
  evaluation,
  named,
  ofKind,
  production,
  shippedValues,
  workload,
  workloadsOf,
} from './workloads';

const read = (...path: string[]) => readFileSync(join(repositoryFolder, ...path), 'utf8');

describeWithHelm('helm lint', () => {
  it.each(shippedValues)('has nothing against %s', (values) => {
    expect(runHelm('lint', '--strict', chartFolder, '--values', join(repositoryFolder, values))).toContain(
      '0 chart(s) failed',
    );
  });
});

describe('values', () => {
  it('README.md, values.yaml and values.schema.json name the same ones', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(chartFolder, 'update-readme.mjs'), '--check'],
      {
        encoding: 'utf8',
      },
    );
    expect([status, stderr]).toEqual([0, '']);
  });

  it('every object of the schema is closed, and every value described', () => {
    const { properties } = JSON.parse(read('helm/currawong/values.schema.json'));
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const visit = (path: string, { description, properties: parts, additionalProperties }: any) => {
      expect([path, typeof description]).toEqual([path, 'string']);
      if (!parts) return;
      expect([path, additionalProperties]).toEqual([path, false]);
      if (path.endsWith('.settings')) return;
      for (const [name, part] of Object.entries(parts)) visit(`${path}.${name}`, part);
    };
    for (const [name, part] of Object.entries(properties)) visit(name, part);
  });
});

/** Variables in the tables of docs/settings.md, by the title of their section. */
function documentedSettings(): Record<string, string[]> {
  const [, ...sections] = read('docs/settings.md').split(/^## /m);
  return Object.fromEntries(
    sections.map((section) => {
      const [title = '', ...lines] = section.split('\n');
      const names = lines
        .filter((line) => line.startsWith('| `'))
        .flatMap((line) => [...(line.split('|')[1]?.matchAll(/`([A-Z0-9_]+)`/g) ?? [])]);
      return [title.trim(), names.map(([, name]) => name as string)];
    }),
  );
}

describeWithHelm('settings', () => {
  const { properties } = JSON.parse(read('helm/currawong/values.schema.json'));
  const settable: Record<string, string[]> = Object.fromEntries(
    Object.entries({ ...properties, worker: properties.workers.properties.cpu })
      .filter(([, part]) => (part as { properties?: Record<string, unknown> }).properties?.['settings'])
      // eslint-disable-next-line @typescript-eslint/no-explicit-any
      .map(([service, part]) => [service, Object.keys((part as any).properties.settings.properties)]),
  );
  /** With everything on that adds variables. */
  const everything = renderChart([production], {
    'secrets.payments': 'p',
    'secrets.mail': 'm',
    'secrets.signOn': 's',
    'trustedCertificates.secretName': 't',
    'store.encryption': { algorithm: 'aws:kms', kmsKeyId: 'k' },
    'workers.gpu.enabled': true,
  });
  const rendered = (component: string) =>
    Object.keys(environmentOf(workload(everything, component).containers[0]!));
  const components = {
    gateway: 'gateway',
    webhooks: 'webhooks',
    jobs: 'jobs',
    billing: 'billing',
    worker: 'worker-cpu',
  } as const;
  // As they are in the image, or as the chart's own probes and Services take them for granted.
  const fixed = [
    ...['HOST', 'PORT', 'METRICS_PORT', 'METRICS_HOST', 'DASHBOARD_DIR'],
    ...[
      'CURRAWONG_PYTHON',
      'CURRAWONG_FFMPEG',
      'CURRAWONG_ENGINES_DIR',
      'CURRAWONG_VERSION',
      'CURRAWONG_REVISION',
    ],
    // By the cluster, where a service account stands for a role.
    ...['AWS_ROLE_ARN', 'AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ENDPOINT_URL_STS'],
    // By extraEnv and envFrom: all but the first are secrets.
    ...['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_HEADERS', 'ENGINE_API_KEY'],
  ];
  // Of Node itself.
  const platform = ['NODE_EXTRA_CA_CERTS'];

  it('that pods are given are all documented', () => {
    const documented = Object.values(documentedSettings()).flat();
    const given = workloadsOf(everything)
      .filter(
        ({ component }) => Object.values<string>(components).includes(component) || component === 'admin',
      )
      .flatMap(({ containers }) => containers.flatMap((one) => Object.keys(environmentOf(one))));
    expect(
      [...new Set(given)].filter((name) => !documented.includes(name) && !platform.includes(name)),
    ).toEqual([]);
  });

  it.each(Object.entries(components))('of %s can all be set, in one place', (service, component) => {
    const documented = documentedSettings();
    const own = settable[service] ?? [];
    const given = rendered(component);
    expect(own.filter((name) => given.includes(name))).toEqual([]);
    expect(
      own.filter((name) => ![...documented['Every service']!, ...documented[service]!].includes(name)),
    ).toEqual([]);
    expect(documented[service]!.filter((name) => ![...own, ...given, ...fixed].includes(name))).toEqual([]);
  });

  it('that every service has can be set for each', () => {
    const unset = documentedSettings()['Every service']!.filter(
      (name) =>
        !fixed.includes(name) &&
        !Object.entries(components).some(
          ([service, component]) => settable[service]?.includes(name) || rendered(component).includes(name),
        ),
    );
    expect(unset).toEqual([]);
  });

  it('reach the pods of their service', () => {
    const objects = renderChart([evaluation], { 'billing.settings': { SUPPLIER_NAME: 'Currawong Pty Ltd' } });
    expect(environmentOf(workload(objects, 'billing').containers[0]!)['SUPPLIER_NAME']).toBe(
      'Currawong Pty Ltd',
    );
  });
});

describeWithHelm('monitoring', () => {
  it('in production all pods with figures are read, and no target has a label `service`', () => {
    const { spec } = named(renderChart([production]), 'PodMonitor', 'currawong');
    expect(spec).toEqual({
      jobLabel: 'app.kubernetes.io/name',
      selector: {
        matchLabels: { 'app.kubernetes.io/name': 'currawong', 'app.kubernetes.io/instance': 'currawong' },
      },
      podMetricsEndpoints: [{ port: 'metrics', interval: '15s' }],
    });
  });

  it('every file of rules and every dashboard is installed as it is', () => {
    const objects = renderChart([production]);
    const rules = globSync('helm/currawong/files/rules/*.yaml', { cwd: repositoryFolder });
    const dashboards = globSync('helm/currawong/files/dashboards/*.json', { cwd: repositoryFolder });
    expect([rules.length > 0, dashboards.length > 0]).toEqual([true, true]);
    for (const path of rules) {
      const { spec } = named(objects, 'PrometheusRule', `currawong-${basename(path, '.yaml')}`);
      expect(spec.groups).toEqual(parse(read(path)).groups);
    }
    for (const path of dashboards) {
      const name = `currawong-dashboard-${basename(path, '.json')}`;
      const { metadata, data } = named(objects, 'ConfigMap', name);
      expect(metadata.labels?.['grafana_dashboard']).toBe('1');
      expect(JSON.parse(Object.values<string>(data)[0]!)).toEqual(JSON.parse(read(path)));
      // The whole object has to go through the API server and etcd.
      expect(JSON.stringify(data).length).toBeLessThan(1_000_000);
    }
  });

  it('an evaluation needs no operator: nothing in it is of a kind that Kubernetes itself does not have', () => {
    const own = /^(v1|(apps|batch|policy|autoscaling)\/v\d|(networking|rbac\.authorization)\.k8s\.io\/v1)$/;
    for (const { apiVersion } of renderChart([evaluation])) expect(apiVersion).toMatch(own);
  });
});

describeWithHelm('External Secrets', () => {
  it('make the Secrets that the pods refer to, with the keys that they want', () => {
    const objects = renderChart([production], {
      'secrets.mail': 'smtp',
      'externalSecrets.remoteKeys.mail': 'currawong/mail',
    });
    const made = Object.fromEntries(
      ofKind(objects, 'ExternalSecret').map(({ spec }) => [
        spec.target.name,
        spec.data.map(({ secretKey }: { secretKey: string }) => secretKey),
      ]),
    );
    expect(Object.keys(made).sort()).toEqual([
      'currawong-databases',
      'currawong-nats',
      'currawong-store',
      'smtp',
    ]);
    for (const { containers } of workloadsOf(objects)) {
      for (const { valueFrom } of containers.flatMap(({ env = [] }) => env)) {
        if (!valueFrom) continue;
        const { name, key } = (valueFrom as { secretKeyRef: { name: string; key: string } }).secretKeyRef;
        expect([name, made[name]?.includes(key)]).toEqual([name, true]);
      }
    }
  });
});

describeWithHelm('payments, mail and single sign-on', () => {
  const features = [
    { secret: 'payments', component: 'billing', variable: 'STRIPE_SECRET_KEY', name: 'currawong-payments' },
    { secret: 'mail', component: 'gateway', variable: 'SMTP_URL', name: 'currawong-mail' },
    { secret: 'signOn', component: 'gateway', variable: 'OIDC_CLIENT_SECRET', name: 'currawong-sign-on' },
  ];
  const readFrom = (objects: Rendered[], component: string, variable: string) => {
    const { env = [] } = workload(objects, component).containers[0]!;
    const source = env.find(({ name }) => name === variable)?.valueFrom;
    return (source as { secretKeyRef: { name: string } } | undefined)?.secretKeyRef.name;
  };

  it.each(features)('$secret is on as soon as External Secrets makes its Secret', (feature) => {
    const { secret, component, variable, name } = feature;
    const remote = { [`externalSecrets.remoteKeys.${secret}`]: `currawong/${secret}` };
    const objects = renderChart([production], remote);
    expect(named(objects, 'ExternalSecret', name)['spec'].target).toEqual({ name });
    expect(readFrom(objects, component, variable)).toBe(name);
    const ours = renderChart([production], { ...remote, [`secrets.${secret}`]: 'ours' });
    expect(named(ours, 'ExternalSecret', 'ours')['spec'].target).toEqual({ name: 'ours' });
    expect(readFrom(ours, component, variable)).toBe('ours');
  });

  it.each(features)('$secret is off where nobody makes it', ({ secret, component, variable }) => {
    expect(readFrom(renderChart([production]), component, variable)).toBeUndefined();
    const idle = {
      [`externalSecrets.remoteKeys.${secret}`]: `currawong/${secret}`,
      'externalSecrets.enabled': false,
    };
    expect(readFrom(renderChart([production], idle), component, variable)).toBeUndefined();
  });
});

describeWithHelm('certificate authorities of your own', () => {
  it('are trusted by every program of ours, and of their Secret the pods see nothing else', () => {
    const objects = renderChart([production], { 'trustedCertificates.secretName': 'internal-ca' });
    for (const { name, pod, containers } of workloadsOf(objects)) {
      expect([name, pod.volumes]).toEqual([
        name,
        expect.arrayContaining([
          {
            name: 'trusted',
            secret: { secretName: 'internal-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] },
          },
        ]),
      ]);
      for (const container of containers) {
        expect(environmentOf(container)['NODE_EXTRA_CA_CERTS']).toBe('/etc/currawong/trusted/ca.crt');
        expect(container['volumeMounts']).toContainEqual({
          name: 'trusted',
          mountPath: '/etc/currawong/trusted',
          readOnly: true,
        });
      }
    }
  });
});

describeWithHelm('an object store with roles', () => {
  it('gives keys to nobody: the accounts that use the store stand for the role, the others do not', () => {
    const role = 'arn:aws:iam::111122223333:role/currawong-store';
    const objects = renderChart([production], { 'store.roleArn': role });
    const annotation = 'eks.amazonaws.com/role-arn';
    const holders = ofKind(objects, 'ServiceAccount').filter(
      ({ metadata }) => metadata.annotations?.[annotation] === role,
    );
    expect(holders.map(({ metadata }) => metadata.name).sort()).toEqual([
      'currawong-gateway',
      'currawong-jobs',
      'currawong-worker-cpu',
    ]);
    const variables = workloadsOf(objects).flatMap(({ containers }) =>
      containers.flatMap((one) => Object.keys(environmentOf(one))),
    );
    expect(variables).not.toContain('S3_ACCESS_KEY');
  });
});
