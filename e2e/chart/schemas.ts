import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '@currawong/local-platform';
import { parseAllDocuments } from 'yaml';

/**
 * Schemas for kubeconform, made from what each project publishes as a Go module: Kubernetes' own OpenAPI document and the
 * definitions of custom resources. The versions are those that k8s/README.md installs.
 */
const kubernetes = 'k8s.io/kubernetes@v1.34.4';
export const customResources: Readonly<Record<string, string>> = {
  'github.com/argoproj/argo-cd/v3@v3.4.4': 'manifests/crds',
  'github.com/cert-manager/cert-manager@v1.21.2': 'deploy/crds',
  'github.com/cloudnative-pg/cloudnative-pg@v1.30.0': 'config/crd/bases',
  'github.com/cloudnative-pg/plugin-barman-cloud@v0.13.0': 'config/crd/bases',
  'github.com/external-secrets/external-secrets@v1.3.2': 'config/crds/bases',
  'github.com/kedacore/keda/v2@v2.20.2': 'config/crd/bases',
  'github.com/prometheus-operator/prometheus-operator@v0.93.1': 'example/prometheus-operator-crd',
  'sigs.k8s.io/gateway-api@v1.5.1': 'config/crd/standard',
};

/** Where kubeconform finds a schema, in its own template language. */
export const schemaFile = '{{.Group}}_{{.ResourceAPIVersion}}_{{.ResourceKind}}.json';
const madeFrom = JSON.stringify([2, kubernetes, customResources]);

type Schema = Record<string, unknown>;
interface ResourceKind {
  group: string;
  version: string;
  kind: string;
}

/**
 * Makes the schemas in `folder`, once for each set of versions.
 * @returns nothing, or one sentence that says why they cannot be made
 */
export async function ensureSchemas(folder: string): Promise<{ missing?: string }> {
  const stamp = join(folder, 'made-from.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === madeFrom) return {};
  const modules = await download([kubernetes, ...Object.keys(customResources)]);
  if ('missing' in modules) return modules;
  const aside = `${folder}.${process.pid}`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  // kubeconform takes the version for the group where apiVersion names no group.
  const write = ({ group, version, kind }: ResourceKind, schema: Schema) =>
    writeFileSync(
      join(aside, `${group || version}_${version}_${kind.toLowerCase()}.json`),
      JSON.stringify(schema),
    );
  writeKubernetes(join(modules[kubernetes]!, 'api', 'openapi-spec', 'swagger.json'), write);
  for (const [module, path] of Object.entries(customResources)) {
    writeCustomResources(join(modules[module]!, path), write);
  }
  writeFileSync(join(aside, 'made-from.json'), madeFrom);
  rmSync(folder, { recursive: true, force: true });
  renameSync(aside, folder);
  return {};
}

export async function download(
  modules: readonly string[],
): Promise<Record<string, string> | { missing: string }> {
  const env = { ...process.env, GOFLAGS: '', GOWORK: 'off' };
  const result = await runCommand('go', ['mod', 'download', '-json', ...modules], {
    env,
    timeoutSeconds: 600,
  }).catch(() => undefined);
  if (!result) return { missing: 'Go was not found: install it to check manifests against their schemas.' };
  const answers = JSON.parse(`[${result.stdout.replaceAll(/^}\n{/gm, '},{')}]`) as {
    Path: string;
    Version: string;
    Dir?: string;
    Error?: string;
  }[];
  const failed = answers.find(({ Dir }) => Dir === undefined);
  if (failed || answers.length < modules.length) {
    return {
      missing: `${failed?.Path ?? 'A Go module'} could not be fetched: ${failed?.Error ?? result.stderr}`,
    };
  }
  return Object.fromEntries(answers.map(({ Path, Version, Dir }) => [`${Path}@${Version}`, Dir as string]));
}

/** Every kind of the core API, with the definitions that it refers to. */
function writeKubernetes(openApiFile: string, write: (kind: ResourceKind, schema: Schema) => void): void {
  const { definitions } = JSON.parse(readFileSync(openApiFile, 'utf8')) as {
    definitions: Record<string, Schema>;
  };
  const strictOnes = Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, definitionOf(name, schema)]),
  );
  for (const [name, schema] of Object.entries(definitions)) {
    const kinds = (schema['x-kubernetes-group-version-kind'] ?? []) as ResourceKind[];
    for (const kind of kinds) {
      const used = referredTo(name, strictOnes);
      write(kind, { ...strictOnes[name], definitions: used });
    }
  }
}

function definitionOf(name: string, schema: Schema): Schema {
  if (name.endsWith('.intstr.IntOrString')) return { type: ['string', 'integer'] };
  if (name.endsWith('.resource.Quantity')) return { type: ['string', 'number'] };
  return strict(schema) as Schema;
}

/** Only what is reachable from one kind: a whole copy of the document for each would be hundreds of megabytes. */
function referredTo(name: string, all: Record<string, Schema>): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, reference] of JSON.stringify(all[next]).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)) {
      if (reference === undefined || found[reference]) continue;
      found[reference] = all[reference]!;
      waiting.push(reference);
    }
  }
  return found;
}

function writeCustomResources(folder: string, write: (kind: ResourceKind, schema: Schema) => void): void {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
    for (const document of parseAllDocuments(readFileSync(join(folder, file), 'utf8'))) {
      const definition = document.toJS() as CustomResourceDefinition | null;
      if (definition?.kind !== 'CustomResourceDefinition') continue;
      const { group, names, versions } = definition.spec;
      for (const { name: version, schema } of versions) {
        const { openAPIV3Schema } = schema;
        write(
          { group, version, kind: names.kind },
          // What the API server adds by itself to every object, in full.
          strict({
            ...openAPIV3Schema,
            properties: {
              ...(openAPIV3Schema['properties'] as Schema),
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          }) as Schema,
        );
      }
    }
  }
}

interface CustomResourceDefinition {
  kind: string;
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
}

/** A field that the schema does not name is an error, as it is for `kubectl apply --validate=strict`. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (schema === null || typeof schema !== 'object') return schema;
  const {
    description: _description,
    'x-kubernetes-int-or-string': intOrString,
    'x-kubernetes-preserve-unknown-fields': open,
    nullable,
    ...rest
  } = schema as Schema;
  const made: Schema = Object.fromEntries(
    Object.entries(rest)
      .filter(([key]) => !key.startsWith('x-kubernetes'))
      .map(([key, value]) => [key, key === 'properties' ? eachProperty(value as Schema) : strict(value)]),
  );
  if (intOrString)
    return { type: ['string', 'integer'], ...(made['pattern'] ? { pattern: made['pattern'] } : {}) };
  if (nullable && typeof made['type'] === 'string') made['type'] = [made['type'], 'null'];
  if (made['properties'] && !open && made['additionalProperties'] === undefined)
    made['additionalProperties'] = false;
  return made;
}

/** The names of properties are not words of the schema language, though one of them may be called `description`. */
function eachProperty(properties: Schema): Schema {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, strict(schema)]));
}
