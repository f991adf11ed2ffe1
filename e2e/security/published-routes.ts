import { publishedId, type IdKind } from './id-kinds';

/** Every verb that a client can put into a request line and that Node lets it send; CONNECT is for proxies. */
export const VERBS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const;
export type Verb = (typeof VERBS)[number];

type Json = Record<string, unknown>;

export interface PublishedOperation {
  /** Upper case. */
  method: string;
  /** May anyone ask, without a key and without a session? */
  isOpen: boolean;
  takesKey: boolean;
  takesSession: boolean;
  /** The names of query parameters and of fields of the body that hold an id of something, with what it is an id of. */
  idFields: { place: 'query' | 'json' | 'form'; name: string; kind: IdKind }[];
  /** As it is documented, or `{}`; undefined where no JSON is expected. */
  exampleBody: Json | undefined;
}

/** A path of the running gateway with one of its prefixes, and the ids that it has room for. */
export interface PublishedPath {
  /** Such as `/api/v1/jobs/{job_id}`. */
  path: string;
  ids: { name: string; kind: IdKind }[];
  operations: PublishedOperation[];
}

interface DocumentedOperation {
  security: Json[];
  parameters?: { name: string; in: string; schema: Json }[];
  requestBody?: { content: Record<string, { schema?: Json; example?: Json }> };
}

/** What the gateway says of itself. @throws Error that names a parameter whose kind nobody has said yet */
export async function publishedRoutes(baseUrl: string): Promise<PublishedPath[]> {
  const document = (await (await fetch(`${baseUrl}/api/v1/openapi.json`)).json()) as {
    servers: { url: string }[];
    paths: Record<string, { servers?: { url: string }[] } & Record<string, unknown>>;
    components: { schemas: Record<string, Json> };
  };
  const methods = VERBS.map((verb) => verb.toLowerCase());
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name: name!,
      kind: publishedId(name!, path),
    }));
    const operations = Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) =>
        publishedOperation(method, path, operation as DocumentedOperation, document.components.schemas),
      );
    const prefixes = (item.servers ?? document.servers).map(({ url }) => url.replace(/\/$/, ''));
    return prefixes.map((prefix) => ({ path: prefix + path, ids, operations }));
  });
}

function publishedOperation(
  method: string,
  path: string,
  { security, parameters = [], requestBody }: DocumentedOperation,
  components: Record<string, Json>,
): PublishedOperation {
  const queries = parameters
    .filter(({ in: place, name, schema }) => place === 'query' && isId(name, schema))
    .map(({ name }) => ({ place: 'query' as const, name, kind: publishedId(name, path) }));
  const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema = {} }]) =>
    Object.entries(propertiesOf(schema, components))
      .filter(([name, property]) => isId(name, property))
      .map(([name]) => ({
        place: type === 'application/json' ? ('json' as const) : ('form' as const),
        name,
        kind: publishedId(name, path),
      })),
  );
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  return {
    method: method.toUpperCase(),
    isOpen: schemes.length === 0,
    takesKey: schemes.includes('apiKey'),
    takesSession: schemes.includes('session'),
    idFields: [...queries, ...bodies],
    exampleBody: requestBody
      ? requestBody.content['application/json'] && (requestBody.content['application/json'].example ?? {})
      : undefined,
  };
}

function propertiesOf(schema: Json, components: Record<string, Json>): Record<string, Json> {
  const name = /^#\/components\/schemas\/(.+)$/.exec(
    typeof schema['$ref'] === 'string' ? schema['$ref'] : '',
  )?.[1];
  const resolved = name ? (components[name] ?? {}) : schema;
  return (resolved['properties'] ?? {}) as Record<string, Json>;
}

function isId(name: string, schema: Json): boolean {
  return schema['format'] === 'uuid' || name === 'id' || name.endsWith('_id');
}
