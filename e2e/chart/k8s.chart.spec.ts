import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findOnPath, findPrometheus, prometheusRemedy } from '@currawong/local-platform';
import { stringify } from 'yaml';
import {
  chartFolder,
  describeWithKubeconform,
  parseObjects,
  renderManifest,
  repositoryFolder,
} from './render';
import { ensureSchemas, schemaFile } from './schemas';

// Every manifest of k8s/ and everything that the chart makes of the shipped values, held against the schemas of
// Kubernetes and of the operators' custom resources: a misspelt field is found here, not in the cluster.
const schemas = join(repositoryFolder, '.currawong', 'schemas');
const valuesFiles = [
  'k8s/environments/sydney.yaml',
  'k8s/environments/melbourne.yaml',
  ...globSync('helm/currawong/values-*.yaml', { cwd: repositoryFolder }),
];
// Read by something else than kubectl: helm and CloudFormation.
const manifests = globSync('k8s/**/*.yaml', { cwd: repositoryFolder })
  .filter((path) => !/(\/values|operators\/prometheus)\.yaml$|^k8s\/(aws|environments)\//.test(path))
  .sort();
const manifest = (path: string) => readFileSync(join(repositoryFolder, path), 'utf8');

/** What kubeconform has against these manifests; empty when nothing. */
function complaints(text: string): string {
  const { status, stdout, stderr } = spawnSync(
    process.env['CURRAWONG_KUBECONFORM'] as string,
    ['-strict', '-schema-location', join(schemas, schemaFile), '-'],
    { input: text, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 },
  );
  if (status === null) throw new Error('kubeconform did not run.');
  return status === 0 ? '' : stdout + stderr;
}

const describeWithSchemas =
  findOnPath('go') || existsSync(schemas)
    ? describeWithKubeconform
    : (console.warn('Skipped: install Go, which fetches the schemas that manifests are checked against.'),
      describe.skip);
const prometheus = findPrometheus(join(repositoryFolder, '.currawong'));
const describeWithPromtool = prometheus
  ? describe
  : (console.warn(`Skipped: there is no Prometheus; ${prometheusRemedy}.`), describe.skip);

describeWithSchemas('manifests fit their schemas', () => {
  beforeAll(async () => {
    const { missing } = await ensureSchemas(schemas);
    if (missing) throw new Error(missing);
  }, 600_000);

  it.each(manifests)('%s', (path) => expect(complaints(manifest(path))).toBe(''));

  it.each(valuesFiles)('the chart with %s', (path) => {
    expect(complaints(renderManifest([path]))).toBe('');
  });

  it('a misspelt field, a missing one, a wrong type and an unknown kind are found', () => {
    const policy = manifest('k8s/nats/network-policy.yaml');
    expect(complaints(policy.replace('podSelector:', 'podSelectors:'))).toMatch(/podSelectors/);
    const database = manifest('k8s/postgres/sydney.yaml');
    expect(complaints(database.replace('instances: 3', 'instances: many'))).toMatch(/instances/);
    expect(complaints(database.replace('dataDurability: required', 'dataDurability: maybe'))).toMatch(
      /dataDurability/,
    );
    expect(complaints(database.replace('failoverQuorum', 'failoverQuorums'))).toMatch(/failoverQuorums/);
    expect(complaints(database.replace('kind: Cluster', 'kind: Clusters'))).toMatch(/could not find schema/);
  });
});

describeWithPromtool('alerts of the database', () => {
  const groups = () => parseObjects(manifest('k8s/postgres/alerts.yaml'))[0]?.['spec'] as RuleGroups;

  it('fire and fall silent as their test says', () => {
    const folder = mkdtempSync(join(tmpdir(), 'currawong-rules-'));
    try {
      writeFileSync(join(folder, 'rules.yaml'), stringify(groups()));
      copyFileSync(join(__dirname, 'database-alerts.test.yaml'), join(folder, 'test.yaml'));
      const { status, stdout, stderr } = spawnSync(
        prometheus!.promtool,
        ['test', 'rules', join(folder, 'test.yaml')],
        { encoding: 'utf8' },
      );
      expect(stdout + stderr).toContain('SUCCESS');
      expect(status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('each has a test and a section of the page that it names', () => {
    const test = readFileSync(join(__dirname, 'database-alerts.test.yaml'), 'utf8');
    const page = manifest('docs/operations/database-alerts.md');
    for (const { alert, annotations } of groups().groups.flatMap(({ rules }) => rules)) {
      expect(test).toContain(`alertname: ${alert}`);
      expect(annotations.runbook).toBe(`docs/operations/database-alerts.md#${alert.toLowerCase()}`);
      expect(page).toContain(`\n## ${alert}\n`);
    }
  });
});

interface RuleGroups {
  groups: { rules: { alert: string; annotations: { runbook: string } }[] }[];
}

describe('what lies around the chart', () => {
  it('no manifest holds a Secret', () => {
    const kinds = manifests.flatMap((path) => parseObjects(manifest(path)).map(({ kind }) => kind));
    expect(kinds).toContain('Cluster');
    expect(kinds).not.toContain('Secret');
  });

  it('every object names its namespace, or is of a kind that has none', () => {
    const clusterWide = ['Namespace', 'StorageClass', 'ClusterIssuer', 'ClusterSecretStore', 'GatewayClass'];
    const objects = manifests.flatMap((path) => parseObjects(manifest(path)));
    const homeless = objects.filter(
      ({ kind, metadata }) => !metadata.namespace && !clusterWide.includes(kind),
    );
    expect(homeless.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
  });

  it('nothing names a region outside Australia', () => {
    const places = globSync('k8s/**/*.{yaml,sh,mjs,md}', { cwd: repositoryFolder }).flatMap((path) =>
      [...manifest(path).matchAll(/\b(?:us|eu|ap|ca|sa|me|af|il|mx)-(?:[a-z]+-)+\d\b/g)].map(
        ([region]) => region,
      ),
    );
    expect(new Set(places)).toEqual(new Set(['ap-southeast-2', 'ap-southeast-4']));
  });

  it('Melbourne differs from Sydney in names of the place alone', () => {
    const placeless = (path: string) =>
      manifest(path)
        .replace(/^#.*\n/gm, '')
        .replaceAll(/sydney|melbourne/g, 'PLACE')
        .replaceAll(/ap-southeast-[24]/g, 'REGION');
    expect(placeless('k8s/environments/melbourne.yaml')).toBe(placeless('k8s/environments/sydney.yaml'));
  });

  (process.env['CURRAWONG_HELM'] ? it : it.skip)(
    'the role that the environments name is made, for the service accounts that the chart lets have it',
    () => {
      const access = manifest('k8s/aws/access.yaml');
      expect(access).toContain("RoleName: !Sub 'currawong-services-${Place}'");
      const trusted = [...access.matchAll(/system:serviceaccount:currawong:([\w-]+)/g)].map(
        ([, name]) => name,
      );
      const objects = parseObjects(
        renderManifest(['k8s/environments/sydney.yaml'], { 'workers.gpu.enabled': true }),
      );
      const holders = objects.filter(
        ({ metadata }) =>
          metadata.annotations?.['eks.amazonaws.com/role-arn'] ===
          'arn:aws:iam::111122223333:role/currawong-services-sydney',
      );
      expect(holders.map(({ metadata }) => metadata.name).sort()).toEqual(trusted.sort());
    },
  );

  it('the certificate that the Gateway shows is asked for, in its namespace', () => {
    const objects = parseObjects(manifest('k8s/gateway/gateway.yaml'));
    const gateway = objects.find(({ kind }) => kind === 'Gateway')!;
    const certificate = objects.find(({ kind }) => kind === 'Certificate')!;
    const [listener] = gateway['spec'].listeners;
    expect(listener.tls.certificateRefs).toEqual([{ name: certificate['spec'].secretName }]);
    expect(certificate['spec'].dnsNames).toEqual([listener.hostname]);
    expect(certificate.metadata.namespace).toBe(gateway.metadata.namespace);
  });

  it('files that documents and manifests point to are there', () => {
    const texts = globSync(['k8s/**/*.{md,yaml,sh,mjs}', 'docs/operations/*.md'], { cwd: repositoryFolder });
    const missing = texts.flatMap((path) =>
      [...manifest(path).matchAll(/\b(?:k8s|helm|docs|e2e)\/[\w./-]+\.(?:ya?ml|md|sh|mjs|ts|json)\b/g)]
        .map(([target]) => target)
        .filter((target) => !existsSync(join(repositoryFolder, target)))
        .map((target) => `${relative('.', path)} → ${target}`),
    );
    expect(missing).toEqual([]);
    expect(existsSync(chartFolder)).toBe(true);
  });
});
