import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const repositoryFolder = join(__dirname, '..', '..');
export const chartFolder = join(repositoryFolder, 'helm', 'currawong');

/** A Kubernetes object as it was rendered; what lies deeper is looked at by the tests themselves. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [field: string]: any;
}

/** Values by their dotted path, each of any JSON type: `{ 'gateway.replicas': 3 }`. */
export type Sets = Readonly<Record<string, unknown>>;

/** Runs the tests where helm is there, else reports them as skipped; global-setup.ts has said why. */
export const describeWithHelm = process.env['CURRAWONG_HELM'] ? describe : describe.skip;
export const describeWithKubeconform =
  process.env['CURRAWONG_HELM'] && process.env['CURRAWONG_KUBECONFORM'] ? describe : describe.skip;

/**
 * The objects that `helm template` makes, hooks and tests among them.
 * @param valuesFiles paths in the repository, later ones win over earlier ones
 * @throws where helm refuses, or warns: a warning today is a broken release tomorrow
 */
export function renderChart(valuesFiles: readonly string[], sets: Sets = {}): Rendered[] {
  return parseObjects(renderManifest(valuesFiles, sets));
}

/** The same as one text, for programs that read manifests. */
export function renderManifest(valuesFiles: readonly string[], sets: Sets = {}): string {
  const { status, stdout, stderr } = template(valuesFiles, sets);
  if (status !== 0 || stderr !== '') throw new Error(`helm template ${valuesFiles.join(' ')}:\n${stderr}`);
  return stdout;
}

/** What helm says when it refuses these values; a chart that is rendered in spite of them is an error. */
export function renderFails(valuesFiles: readonly string[], sets: Sets = {}): string {
  const { status, stderr } = template(valuesFiles, sets);
  if (status === 0) throw new Error(`helm template took ${valuesFiles.join(' ')} ${JSON.stringify(sets)}.`);
  return stderr;
}

export function parseObjects(manifest: string): Rendered[] {
  return parseAllDocuments(manifest).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    const object = document.toJS() as Rendered | null;
    return object === null ? [] : [object];
  });
}

/** Runs helm with other words; gives its standard output. */
export function runHelm(...args: string[]): string {
  return execFileSync(helmProgram(), args, { encoding: 'utf8', env: helmEnvironment() });
}

function template(valuesFiles: readonly string[], sets: Sets) {
  if (!existsSync(join(chartFolder, 'Chart.yaml'))) throw new Error(`There is no chart in ${chartFolder}.`);
  return spawnSync(
    helmProgram(),
    [
      ...['template', 'currawong', chartFolder, '--namespace', 'currawong'],
      ...valuesFiles.flatMap((path) => ['--values', join(repositoryFolder, path)]),
      ...Object.entries(sets).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]),
    ],
    { encoding: 'utf8', env: helmEnvironment(), maxBuffer: 64 * 2 ** 20 },
  );
}

function helmProgram(): string {
  const program = process.env['CURRAWONG_HELM'];
  if (program) return program;
  throw new Error('CURRAWONG_HELM does not say where helm is: run the tests by jest --selectProjects chart.');
}

/** No cluster, and nothing of what the user has set up for helm: the same output on every machine. */
function helmEnvironment(): NodeJS.ProcessEnv {
  const folder = join(repositoryFolder, '.currawong', 'helm');
  return {
    PATH: process.env['PATH'],
    HOME: folder,
    KUBECONFIG: join(folder, 'no-cluster'),
    HELM_CACHE_HOME: join(folder, 'cache'),
    HELM_CONFIG_HOME: join(folder, 'config'),
    HELM_DATA_HOME: join(folder, 'data'),
  };
}
