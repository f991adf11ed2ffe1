import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseObjects, type Rendered, repositoryFolder } from '../chart/render';
import { chart, cluster, describeOnCluster, helm, kubectl, kubectlOutcome, listOf } from './cluster';
import { freshNamespaces } from './namespaces';
import { remark, step } from './step';

/** As the documentation tells people to use them: each by itself. */
const shipped = ['helm/currawong', 'k8s/environments'].flatMap((folder) => {
  const path = join(repositoryFolder, folder);
  const names = existsSync(path) ? readdirSync(path) : [];
  // values.yaml alone asks for servers, and refuses to go without.
  return names
    .filter((name) => name.endsWith('.yaml') && !['values.yaml', 'Chart.yaml'].includes(name))
    .map((name) => join(folder, name));
});

describeOnCluster('the API server takes, strictly, every object of', () => {
  let known: Set<string>;

  beforeAll(async () => {
    await freshNamespaces();
    const kinds = await kubectl(['api-resources', '--no-headers']);
    known = new Set(
      kinds
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        // The columns before are short names, which not every kind has.
        .map((columns) => `${columns.at(-3)} ${columns.at(-1)}`),
    );
  }, 180_000);

  it('files of values, of which there are some', () => expect(shipped.length).toBeGreaterThanOrEqual(4));

  for (const values of shipped) {
    step(values, 60, async () => {
      const manifest = await helm([
        'template',
        'currawong',
        chart,
        '--values',
        join(repositoryFolder, values),
      ]);
      const objects = parseObjects(manifest);
      const unknown = objects.filter(({ apiVersion, kind }) => !known.has(`${apiVersion} ${kind}`));
      for (const { apiVersion, kind } of unknown) {
        // Into somebody's cluster no definitions are installed; into the one that is brought up for this they are.
        if (!cluster().isGiven) throw new Error(`The cluster does not know ${apiVersion} ${kind}.`);
        remark(`not checked, because this cluster has no ${apiVersion} ${kind}`);
      }
      const { exitCode, stdout, stderr } = await kubectlOutcome(
        ['apply', '--server-side', '--dry-run=server', '--validate=strict', '--filename=-'],
        {
          input: listOf(objects.filter((object) => !unknown.includes(object)).map(withoutAccount)),
        },
      );
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout.trim().split('\n')).toHaveLength(objects.length - unknown.length);
    });
  }
});

/** A pod by itself is refused without its service account, which a dry run does not make; a template of it is not. */
function withoutAccount(object: Rendered): object {
  if (object.kind !== 'Pod') return object;
  const { metadata, spec } = object as unknown as { metadata: object; spec: object };
  return { apiVersion: 'v1', kind: 'PodTemplate', metadata, template: { metadata, spec } };
}
