import { ensureGoProgram, findOnPath, helm, SetupError } from '@currawong/local-platform';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { customResources, download } from '../chart/schemas';
import { buildImages, publishedImages } from './images';
import { type Prepared, preparedVariable } from './prepared';
import { outcomeOf, outputOf } from './program';
import { forgetTimes, recordTime } from './times';

const repository = join(__dirname, '..', '..');
const toolsFolder = join(repository, '.currawong');
/** The folder of the scripts that bring up a one-node cluster; docs/cluster-test.md says what is expected of them. */
const oneNode = resolve(
  process.env['CURRAWONG_CLUSTER_SCRIPTS'] ?? join(repository, '..', 'shared', 'cluster'),
);
/** The one node runs on this machine, which has no say in where it is. */
const oneNodeRegion = 'ap-southeast-2';

/**
 * jest calls this once, before the first test on a cluster. Where there is none and none can be had the tests are skipped;
 * where one should come up and does not, that is an error.
 */
export default async function globalSetup(): Promise<void> {
  forgetTimes();
  const missing = whyNot();
  if (missing) {
    process.stderr.write(`The cluster test is skipped: ${missing}\n`);
    return;
  }
  const helmProgram = await ensureGoProgram(helm, toolsFolder);
  if ('missing' in helmProgram) {
    process.stderr.write(`The cluster test is skipped: ${helmProgram.missing}\n`);
    return;
  }
  const programs = { helm: helmProgram.path, kubectl: findOnPath('kubectl')! };
  const given = process.env['KUBECONFIG'];
  const cluster = given ? await prepareGiven(given, programs) : await prepareOneNode(programs);
  const prepared: Prepared = { ...cluster, hasKeda: await hasKeda(cluster) };
  if (!prepared.hasKeda) {
    process.stderr.write('The test of autoscaling is skipped: KEDA does not run on the cluster.\n');
  }
  process.env[preparedVariable] = JSON.stringify(prepared);
}

/** One sentence where there is no cluster and none can be had. */
function whyNot(): string | undefined {
  if (!findOnPath('kubectl')) return 'kubectl was not found; install it.';
  if (process.env['KUBECONFIG']) return undefined;
  if (!existsSync(join(oneNode, 'up.sh'))) {
    return 'KUBECONFIG names no cluster, and there are no scripts for one on this machine (CURRAWONG_CLUSTER_SCRIPTS).';
  }
  const unable = 'KUBECONFIG names no cluster, and one on this machine needs';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return `${unable} Linux and root.`;
  if (!findOnPath('go')) return `${unable} Go.`;
  if (!findOnPath('containerd') && !findOnPath('apt-get'))
    return `${unable} containerd, or apt to install it.`;
  return undefined;
}

type Programs = Pick<Prepared, 'helm' | 'kubectl'>;
type Cluster = Omit<Prepared, 'hasKeda'>;

async function prepareGiven(kubeconfig: string, programs: Programs): Promise<Cluster> {
  const region = await regionOf(kubeconfig, programs.kubectl);
  if (!region) {
    throw new SetupError(
      'The nodes of the cluster have no label topology.kubernetes.io/region, or several: label them with one Australian region.',
    );
  }
  return { isGiven: true, kubeconfig, ...programs, region, ...publishedImages() };
}

async function prepareOneNode(programs: Programs): Promise<Cluster> {
  const work =
    process.env['WORK'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(process.env['HOME']!, '.cache'), 'one-node-cluster');
  const kubeconfig = join(work, 'cfg', 'admin.kubeconfig');
  const wasUp =
    existsSync(kubeconfig) &&
    (
      await outcomeOf(programs.kubectl, ['get', '--raw=/readyz', '--request-timeout=5s'], {
        env: { KUBECONFIG: kubeconfig },
      })
    ).exitCode === 0;
  const down = wasUp || process.env['CURRAWONG_KEEP_CLUSTER'] ? {} : { down: [join(oneNode, 'down.sh')] };
  try {
    // Of a cluster that is up it would write the settings anew, which ends some of its programs.
    if (!wasUp) {
      await timed('the cluster comes up', () =>
        outputOf(join(oneNode, 'up.sh'), [], { timeoutSeconds: 1_800 }),
      );
    }
    await timed('definitions of custom resources', () => installDefinitions(kubeconfig, programs.kubectl));
    const labels = [
      `topology.kubernetes.io/region=${oneNodeRegion}`,
      `topology.kubernetes.io/zone=${oneNodeRegion}a`,
    ];
    const env = { KUBECONFIG: kubeconfig };
    await outputOf(programs.kubectl, ['label', 'nodes', '--all', '--overwrite', ...labels], { env });
    const images = await timed('images', () => buildImages(repository, work));
    return { isGiven: false, kubeconfig, ...programs, region: oneNodeRegion, ...images, ...down };
  } catch (error) {
    if (down.down) await outcomeOf(down.down[0]!, [], { timeoutSeconds: 120 });
    throw error;
  }
}

/** Those that the chart makes objects of. Their operators are not needed to check the objects. */
async function installDefinitions(kubeconfig: string, kubectl: string): Promise<void> {
  await outputOf(join(oneNode, 'crds.sh'), [], { timeoutSeconds: 300 });
  const wanted = Object.entries(customResources).filter(([module]) =>
    /gateway-api|\/external-secrets@/.test(module),
  );
  const folders = await download(wanted.map(([module]) => module));
  if ('missing' in folders) throw new SetupError(folders['missing']);
  for (const [module, path] of wanted) {
    const folder = join(folders[module]!, path);
    const files = readdirSync(folder).filter(
      (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
    );
    const args = files.flatMap((name) => ['--filename', join(folder, name)]);
    await outputOf(kubectl, ['apply', '--server-side', '--force-conflicts', ...args], {
      env: { KUBECONFIG: kubeconfig },
      timeoutSeconds: 120,
    });
  }
}

async function hasKeda({ kubeconfig, kubectl }: Cluster): Promise<boolean> {
  const selector = 'app.kubernetes.io/name=keda-operator';
  const text = await outputOf(
    kubectl,
    ['get', 'deployments', '--all-namespaces', `--selector=${selector}`, '--output=name'],
    { env: { KUBECONFIG: kubeconfig } },
  );
  return text.trim() !== '';
}

/** The one region that all nodes are in. */
async function regionOf(kubeconfig: string, kubectl: string): Promise<string | undefined> {
  const text = await outputOf(kubectl, ['get', 'nodes', '--output=json'], {
    env: { KUBECONFIG: kubeconfig },
  });
  const { items } = JSON.parse(text) as { items: { metadata: { labels: Record<string, string> } }[] };
  const regions = new Set(items.map(({ metadata }) => metadata.labels['topology.kubernetes.io/region']));
  return regions.size === 1 ? [...regions][0] : undefined;
}

async function timed<T>(name: string, run: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await run();
  recordTime(name, (performance.now() - began) / 1000);
  return result;
}
