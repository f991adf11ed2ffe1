import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Outcome, outcomeOf, outputOf, type ProgramOptions } from './program';
import { type Prepared, preparedVariable } from './prepared';

export const chart = join(__dirname, '..', '..', 'helm', 'currawong');
export const release = 'currawong';
/** Where the release lies; removed at the end. */
export const namespace = 'currawong-test';
/** Where those who use it lie: any other namespace of the cluster. */
export const clientNamespace = 'currawong-test-clients';
export const gatewayUrl = `http://${release}-gateway.${namespace}`;

/** Of the whole run; made by global-setup.ts, which also says why where there is no cluster. */
export const prepared = JSON.parse(process.env[preparedVariable] ?? 'null') as Prepared | null;
export const describeOnCluster = prepared ? describe : describe.skip;

export function cluster(): Prepared {
  if (prepared) return prepared;
  throw new Error('There is no cluster: run the tests by npm test -- cluster.');
}

export interface Pod {
  metadata: { name: string; labels: Record<string, string>; deletionTimestamp?: string };
  spec: { nodeName?: string };
  status: {
    phase: string;
    podIP?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    containerStatuses?: { restartCount: number; ready: boolean }[];
  };
}

/** In the namespace of the release unless the words name another. */
export function kubectl(args: readonly string[], options: ProgramOptions = {}): Promise<string> {
  return outputOf(cluster().kubectl, withNamespace(args), withCluster(options));
}

export function kubectlOutcome(args: readonly string[], options: ProgramOptions = {}): Promise<Outcome> {
  return outcomeOf(cluster().kubectl, withNamespace(args), withCluster(options));
}

export async function kubectlJson<T>(args: readonly string[]): Promise<T> {
  return JSON.parse(await kubectl([...args, '--output=json'])) as T;
}

export function helm(args: readonly string[], options: ProgramOptions = {}): Promise<string> {
  return outputOf(cluster().helm, ['--namespace', namespace, ...args], withCluster(options));
}

export function helmOutcome(args: readonly string[], options: ProgramOptions = {}): Promise<Outcome> {
  return outcomeOf(cluster().helm, ['--namespace', namespace, ...args], withCluster(options));
}

export async function apply(objects: readonly object[], inNamespace = namespace): Promise<void> {
  await kubectl(['--namespace', inNamespace, 'apply', '--filename=-'], { input: listOf(objects) });
}

/** Several objects as one for kubectl. */
export function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

/** The pods of a part of the release that are there to stay. */
export async function podsOf(component: string): Promise<Pod[]> {
  const selector = `app.kubernetes.io/instance=${release},app.kubernetes.io/component=${component}`;
  const { items } = await kubectlJson<{ items: Pod[] }>(['get', 'pods', `--selector=${selector}`]);
  return items.filter(
    ({ metadata, status }) =>
      !metadata.deletionTimestamp && status.phase !== 'Succeeded' && status.phase !== 'Failed',
  );
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}

/** Until every Deployment and StatefulSet has all its replicas, ready and of its latest form. */
export async function untilAllReady(withinSeconds: number): Promise<void> {
  const workloads = (await kubectl(['get', 'deployments,statefulsets', '--output=name'])).trim().split('\n');
  const deadline = Date.now() + withinSeconds * 1000;
  for (const name of workloads) {
    const left = Math.max(1, Math.ceil((deadline - Date.now()) / 1000));
    await kubectl(['rollout', 'status', name, `--timeout=${left}s`], { timeoutSeconds: left + 10 });
  }
}

/** What the operator's command answers, from the pod that is there for it. */
export async function admin<T>(...words: string[]): Promise<T> {
  const text = await kubectl(['exec', `deployment/${release}-admin`, '--', 'currawong-admin', ...words], {
    timeoutSeconds: 60,
  });
  return JSON.parse(text) as T;
}

/** Runs a script on the Node of a pod; gives the JSON that it prints. */
export async function evaluateIn<T>(pod: string, script: string, inNamespace = namespace): Promise<T> {
  const text = await kubectl(['--namespace', inNamespace, 'exec', pod, '--', 'node', '--eval', script]);
  return JSON.parse(text) as T;
}

export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  withinSeconds: number,
): Promise<T> {
  const deadline = Date.now() + withinSeconds * 1000;
  let problem = '';
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      problem = ` (${(error as Error).message})`;
    }
    if (Date.now() > deadline) throw new Error(`After ${withinSeconds} s still not so: ${what}${problem}`);
    await sleep(500);
  }
}

function withNamespace(args: readonly string[]): readonly string[] {
  return args[0] === '--namespace' ? args : ['--namespace', namespace, ...args];
}

function withCluster(options: ProgramOptions): ProgramOptions {
  return { ...options, env: { ...options.env, KUBECONFIG: cluster().kubeconfig } };
}
