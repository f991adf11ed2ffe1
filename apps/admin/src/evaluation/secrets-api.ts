import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How to reach the API server as the pod's own service account. */
export interface ClusterAccess {
  host: string;
  port: number;
  namespace: string;
  token: string;
  /** PEM of the authority that signs the API server's certificate. */
  ca: string;
}

/** The text values of a Secret by key. */
export type SecretValues = Readonly<Record<string, string>>;

/** Something that whoever installs can put right; the message says how. */
export class ClusterRefusal extends Error {
  override readonly name = 'ClusterRefusal';
}

const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What Kubernetes puts into every pod that has a service account token. @throws ClusterRefusal outside of a pod */
export function accessFromPod(
  namespace: string,
  environment: NodeJS.ProcessEnv = process.env,
  folder = SERVICE_ACCOUNT_FOLDER,
): ClusterAccess {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = Number(environment['KUBERNETES_SERVICE_PORT']);
  if (!host || !port)
    throw new ClusterRefusal('KUBERNETES_SERVICE_HOST is not set: this program runs in a pod of a cluster.');
  try {
    const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
    return { host, port, namespace, token: read('token'), ca: read('ca.crt') };
  } catch {
    throw new ClusterRefusal(
      `There is no service account token in ${folder}: the pod needs automountServiceAccountToken: true.`,
    );
  }
}

/** The three calls that are needed of the Kubernetes API, for Secrets of one namespace. */
export class SecretsApi {
  constructor(
    private readonly access: ClusterAccess,
    /** For how long an API server that is away or busy is asked again. */
    private readonly patienceMs = 60_000,
  ) {}

  /** @returns undefined where there is no such Secret */
  async read(name: string): Promise<SecretValues | undefined> {
    const { status, body } = await this.call('get', name);
    if (status === 404 && reasonOf(body) === 'NotFound') return undefined;
    if (status !== 200) throw this.refusal('get', name, status, body);
    return Object.fromEntries(
      Object.entries((body as { data?: Record<string, string> }).data ?? {}).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64').toString('utf8'),
      ]),
    );
  }

  /** @returns false where another has made it meanwhile */
  async create(
    name: string,
    labels: Readonly<Record<string, string>>,
    values: SecretValues,
  ): Promise<boolean> {
    const { status, body } = await this.call('create', name, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: this.access.namespace, labels },
      type: 'Opaque',
      data: encoded(values),
    });
    if (status === 409) return false;
    if (status !== 201) throw this.refusal('create', name, status, body);
    return true;
  }

  /** Sets these keys and leaves the others. */
  async merge(name: string, values: SecretValues): Promise<void> {
    const { status, body } = await this.call('patch', name, { data: encoded(values) });
    if (status !== 200) throw this.refusal('patch', name, status, body);
  }

  private async call(verb: Verb, name: string, body?: unknown): Promise<Answer> {
    const until = Date.now() + this.patienceMs;
    for (;;) {
      let why: string;
      try {
        const answer = await this.once(verb, name, body);
        if (answer.status !== 429 && answer.status < 500) return answer;
        why = `it answers ${answer.status}`;
      } catch (error) {
        why = (error as Error).message;
      }
      if (Date.now() > until)
        throw new ClusterRefusal(
          `The Kubernetes API at ${this.access.host}:${this.access.port} cannot be used (${why}). ` +
            'Look whether a NetworkPolicy lets this pod reach it.',
        );
      await sleep(Math.min(1_000, this.patienceMs / 5));
    }
  }

  private once(verb: Verb, name: string, body: unknown): Promise<Answer> {
    const { host, port, namespace, token, ca } = this.access;
    const collection = `/api/v1/namespaces/${namespace}/secrets`;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const sent = request(
      {
        host,
        port,
        ca,
        method: METHODS[verb],
        path: verb === 'create' ? collection : `${collection}/${name}`,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': CONTENT_TYPES[verb] }),
        },
        timeout: 10_000,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString('utf8')) }),
        );
      },
    );
    sent.once('timeout', () => sent.destroy(new Error('no answer within 10 s')));
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    return promise;
  }

  private refusal(verb: Verb, name: string, status: number, body: unknown): ClusterRefusal {
    const { namespace } = this.access;
    if (status === 401)
      return new ClusterRefusal('The Kubernetes API does not accept the service account token of this pod.');
    if (status === 403)
      return new ClusterRefusal(
        `The service account of this pod may not ${verb} the Secret ${name}: its Role in the namespace ` +
          `${namespace} needs the verb "${verb}" on the resource "secrets". (${messageOf(body)})`,
      );
    return new ClusterRefusal(
      `The Kubernetes API refused to ${verb} the Secret ${namespace}/${name} (${status}): ${messageOf(body)}`,
    );
  }
}

/** The verbs as a Role names them. */
type Verb = 'get' | 'create' | 'patch';

interface Answer {
  status: number;
  body: unknown;
}

const METHODS = { get: 'GET', create: 'POST', patch: 'PATCH' } as const;
const CONTENT_TYPES = {
  get: '',
  create: 'application/json',
  patch: 'application/merge-patch+json',
} as const;

function encoded(values: SecretValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 200) };
  }
}

function messageOf(body: unknown): string {
  return (body as { message?: string } | null)?.message ?? 'it gave no reason';
}

/** A 404 of the API itself, and not of something that stands in its place. */
function reasonOf(body: unknown): string | undefined {
  return (body as { reason?: string } | null)?.reason;
}
