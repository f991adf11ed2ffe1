import { randomUUID } from 'node:crypto';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  apply,
  clientNamespace,
  cluster,
  gatewayUrl,
  kubectl,
  kubectlOutcome,
  namespace,
  release,
} from './cluster';

const ours = { 'app.kubernetes.io/managed-by': 'currawong-cluster-test' };
const folder = join(__dirname, 'in-cluster');
const recording = join(__dirname, '..', '..', 'samples', 'rare-name.ogg');

/** Both namespaces, empty. What a run that was cut short has left is removed; a namespace that is not ours is not touched. */
export async function freshNamespaces(): Promise<void> {
  await removeNamespaces();
  await apply(
    [namespace, clientNamespace].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name,
        labels: {
          ...ours,
          'pod-security.kubernetes.io/enforce': 'restricted',
          'pod-security.kubernetes.io/warn': 'restricted',
        },
      },
    })),
  );
  if (!cluster().isGiven) await apply(['postgres', 'nats', 'store'].map(volumeOf));
}

/**
 * Volumes that the node of this machine makes by itself belong to root, and no fsGroup changes that: an evaluation, in
 * which nothing is root, could not write to them. So it finds volumes that are there for its claims.
 */
function volumeOf(component: string) {
  const folder = `/tmp/hostpath_pv/${namespace}-${component}-${randomUUID()}`;
  mkdirSync(folder, { recursive: true });
  chownSync(folder, 65532, 65532);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `${namespace}-${component}`, labels: ours },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '20Gi' },
      storageClassName: 'standard',
      // As where volumes are made for a claim: what deletes the claim deletes the data.
      persistentVolumeReclaimPolicy: 'Delete',
      hostPath: { path: folder },
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace,
        name: `data-${release}-${component}-0`,
      },
    },
  };
}

export async function removeNamespaces(): Promise<void> {
  for (const name of [namespace, clientNamespace]) {
    const { exitCode, stdout } = await kubectlOutcome(['get', 'namespace', name, '--output=json']);
    if (exitCode !== 0) continue;
    const { metadata } = JSON.parse(stdout) as { metadata: { labels: Record<string, string> } };
    if (metadata.labels['app.kubernetes.io/managed-by'] !== ours['app.kubernetes.io/managed-by']) {
      throw new Error(
        `The cluster has a namespace ${name} that is not of these tests: remove it, or use another cluster.`,
      );
    }
    await kubectl(['delete', 'namespace', name, '--timeout=120s'], { timeoutSeconds: 130 });
  }
  const labels = Object.entries(ours).map(([key, value]) => `${key}=${value}`);
  await kubectl(['delete', 'persistentvolumes', `--selector=${labels.join(',')}`, '--timeout=60s'], {
    timeoutSeconds: 70,
  });
}

/** A pod in the clients' namespace in which `in-cluster/*.mjs` can be run, with a short recording beside them. */
export async function startClient(name: string, { command = idle, env = {} }: ClientOptions): Promise<void> {
  await apply([clientPrograms(), clientPod(name, command, env)], clientNamespace);
}

export async function clientIsReady(name: string): Promise<void> {
  const pod = ['--for=condition=Ready', `pod/${name}`, '--timeout=60s'];
  await kubectl(['--namespace', clientNamespace, 'wait', ...pod], { timeoutSeconds: 70 });
}

interface ClientOptions {
  /** Unless given the pod idles, for programs to be run in it. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const idle = ['node', '--eval', 'setInterval(() => {}, 1e6)'];

function clientPrograms() {
  const text = (name: string): [string, string] => [name, readFileSync(join(folder, name), 'utf8')];
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'programs', namespace: clientNamespace },
    data: Object.fromEntries(['customer.mjs', 'load.mjs'].map(text)),
    binaryData: { 'recording.ogg': readFileSync(recording).toString('base64') },
  };
}

function clientPod(name: string, command: readonly string[], env: Readonly<Record<string, string>>) {
  const variables = { BASE_URL: gatewayUrl, AUDIO: '/client/recording.ogg', ...env };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: clientNamespace, labels: { 'app.kubernetes.io/name': name } },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 1,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name,
          image: cluster().adminImage,
          imagePullPolicy: 'IfNotPresent',
          command,
          env: Object.entries(variables).map(([key, value]) => ({ name: key, value })),
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '512Mi' } },
          volumeMounts: [
            { name: 'programs', mountPath: '/client' },
            { name: 'tmp', mountPath: '/tmp' },
          ],
        },
      ],
      volumes: [
        { name: 'programs', configMap: { name: 'programs' } },
        { name: 'tmp', emptyDir: {} },
      ],
    },
  };
}
