import { globSync } from 'node:fs';
import { repositoryFolder, type Rendered } from './render';

/** Every values file that comes with the product and is complete by itself. */
export const shippedValues = [
  'helm/currawong/values-evaluation.yaml',
  'helm/currawong/values-production.yaml',
  ...globSync('k8s/environments/*.yaml', { cwd: repositoryFolder }).sort(),
];

export const evaluation = 'helm/currawong/values-evaluation.yaml';
export const production = 'helm/currawong/values-production.yaml';

/** A container as it was rendered, with what the tests look at. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { name: string; value?: string; valueFrom?: unknown }[];
  readonly resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [field: string]: any;
}

/** What makes pods: the object, and the pods' labels and specification. */
export interface Workload {
  readonly object: Rendered;
  readonly kind: string;
  readonly name: string;
  readonly component: string;
  readonly labels: Readonly<Record<string, string>>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly pod: any;
  readonly containers: readonly Container[];
  /** Pods that are to stay, of a Deployment or a StatefulSet: not those of a Job or a test. */
  readonly lasting: boolean;
}

/** All objects of a manifest that make pods; a kind that is not known to be one or not to be one is an error. */
export function workloadsOf(objects: readonly Rendered[]): Workload[] {
  return objects.flatMap((object) => {
    const template = podTemplate(object);
    if (!template) return [];
    const { metadata, spec: pod } = template;
    return {
      object,
      kind: object.kind,
      name: object.metadata.name,
      component: metadata.labels['app.kubernetes.io/component'],
      labels: metadata.labels,
      pod,
      containers: [...(pod.initContainers ?? []), ...pod.containers],
      lasting: ['Deployment', 'StatefulSet'].includes(object.kind),
    };
  });
}

export function workload(objects: readonly Rendered[], component: string): Workload {
  const found = workloadsOf(objects).find((one) => one.component === component);
  if (!found) throw new Error(`Nothing makes pods of the component ${component}.`);
  return found;
}

export function ofKind(objects: readonly Rendered[], kind: string): Rendered[] {
  return objects.filter((object) => object.kind === kind);
}

export function named(objects: readonly Rendered[], kind: string, name: string): Rendered {
  const found = ofKind(objects, kind).find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`There is no ${kind} ${name}.`);
  return found;
}

/** The plain values of a container's environment. */
export function environmentOf({ env = [] }: Container): Record<string, string | undefined> {
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

/** Whether a selector's labels are all among these. */
export function selects(
  selector: { matchLabels?: Record<string, string> },
  labels: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
}

/** `1`, `500m`, `128Mi`, `1Gi` as a number: cores, or bytes. */
export function quantity(text: string | number): number {
  const [, digits = '', unit = ''] = /^([0-9.]+)(m|[KMGT]i?)?$/.exec(String(text)) ?? [];
  if (digits === '') throw new Error(`${text} is not a quantity.`);
  const factors: Record<string, number> = {
    '': 1,
    m: 1e-3,
    K: 1e3,
    M: 1e6,
    G: 1e9,
    Ki: 2 ** 10,
    Mi: 2 ** 20,
    Gi: 2 ** 30,
  };
  const factor = factors[unit];
  if (factor === undefined) throw new Error(`${text} has an unknown unit.`);
  return Number(digits) * factor;
}

const withoutPods = new Set([
  'ConfigMap',
  'ExternalSecret',
  'HTTPRoute',
  'HorizontalPodAutoscaler',
  'Ingress',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'PodMonitor',
  'PrometheusRule',
  'Role',
  'RoleBinding',
  'ScaledObject',
  'Service',
  'ServiceAccount',
]);

function podTemplate(object: Rendered) {
  if (withoutPods.has(object.kind)) return undefined;
  if (object.kind === 'Pod') return object;
  const template = object['spec']?.template;
  if (!template) throw new Error(`The tests do not know whether a ${object.kind} makes pods.`);
  return template;
}
