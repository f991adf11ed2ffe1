import { RequestMethod, type DynamicModule, type Type } from '@nestjs/common';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { GatewayEnvironment } from '../config';
import { GatewayModule } from '../gateway.module';
import { openApiDocument, type OpenApiDocument, type OperationObject } from './openapi';
import type { Operation } from './operation';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const satisfies Operation['method'][];
/** Pages for people: they are no part of what the document describes. */
const PAGES = /^GET \/(docs(\/|$)|dashboard(\/|$)|favicon\.ico$|$)/;

const config = GatewayEnvironment.parse({
  DATABASE_URL: 'postgres://localhost/nothing',
  NATS_URL: 'nats://localhost:1',
  S3_ENDPOINT: 'http://localhost:2',
  S3_BUCKET: 'bucket',
  S3_ACCESS_KEY: 'access',
  S3_SECRET_KEY: 'secret',
  CURRAWONG_REGION: 'ap-southeast-2',
});
const document = openApiDocument({ ...config, accepted: { languages: ['en'], auto: false } });

it('every route that is served is documented, and the reverse', () => {
  expect(servedRoutes()).toEqual(documentedRoutes());
});

it('is a valid OpenAPI 3.1 document by the official schema', () => {
  const schema = JSON.parse(
    readFileSync(require.resolve('@seriousme/openapi-schema-validator/schemas/v3.1/schema.json'), 'utf8'),
  ) as object;
  // Its dynamic anchors stand for dialects of JSON Schema; ours is the base one.
  const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addFormat('media-range', /^[^\s/;]+\/[^\s;]+/);
  const valid = ajv.validate(schema, JSON.parse(JSON.stringify(document)));
  expect(ajv.errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

it('every schema compiles as JSON Schema 2020-12, and every example fits its schema', () => {
  const ajv = schemas();
  let examples = 0;
  for (const { operation } of operationsOf(document)) {
    const media = [
      ...Object.values(operation.requestBody?.content ?? {}),
      ...Object.values(operation.responses).flatMap(({ content = {} }) => Object.values(content)),
    ];
    for (const { schema, example, examples: several = {} } of media) {
      if (!schema) continue;
      const validate = ajv.compile(atRoot(schema));
      const values = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(several).map(({ value }) => value),
      ];
      for (const value of values) {
        examples++;
        expect([operation.operationId, validate(value), validate.errors]).toEqual([
          operation.operationId,
          true,
          null,
        ]);
      }
    }
    for (const { name, schema, example } of operation.parameters ?? []) {
      if (example === undefined) continue;
      const validate = ajv.compile(atRoot(schema));
      expect([operation.operationId, name, validate(example), validate.errors]).toEqual([
        operation.operationId,
        name,
        true,
        null,
      ]);
    }
  }
  expect(examples).toBeGreaterThan(100);
});

it('every JSON answer that is no refusal has an example', () => {
  const without = operationsOf(document).flatMap(({ operation }) =>
    Object.entries(operation.responses)
      .filter(([status, { content }]) => Number(status) < 400 && content?.['application/json'])
      .filter(([, { content }]) => content!['application/json']!.example === undefined)
      .map(([status]) => `${operation.operationId} ${status}`),
  );
  expect(without).toEqual(['getOpenApiDocument 200']);
});

it.each(['JobDetail', 'UsageBody', 'CreditBody'])('every field of %s is explained', (name) => {
  const { properties } = document.components['schemas']![name] as {
    properties: Record<string, { description?: string }>;
  };
  const silent = Object.keys(properties).filter((field) => !properties[field]!.description);
  expect(silent).toEqual([]);
});

it('an operation has an id of its own, a summary, and what anyone may be answered', () => {
  const all = operationsOf(document).map(({ operation }) => operation);
  expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
  for (const { summary, responses } of all) {
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['429', '500', '503', 'default']));
  }
});

it('every answer says how much of the rate limit is left, a 429 or 503 how long to wait', () => {
  for (const { operation } of operationsOf(document)) {
    for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
      if (status === 'default') continue;
      expect(Object.keys(headers)).toEqual(
        expect.arrayContaining(['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']),
      );
      expect('Retry-After' in headers).toBe(status === '429' || status === '503');
    }
  }
});

it('says the languages and the size limit that this gateway has', () => {
  const other = openApiDocument({
    accepted: { languages: ['en', 'vi'], auto: true },
    MAX_FILE_BYTES: 1_000_000,
  });
  const text = JSON.stringify(other.paths['/transcribe']);
  expect(text).toContain('en, vi, auto');
  expect(text).toContain('up to 1 MB');
});

it('the largest recording is 500 MB unless configured otherwise', () => {
  expect(config.MAX_FILE_BYTES).toBe(500_000_000);
});

function operationsOf({ paths, servers }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) =>
      item[method]
        ? [
            {
              path,
              method,
              servers: item.servers ?? servers,
              operation: item[method] satisfies OperationObject,
            },
          ]
        : [],
    ),
  );
}

function documentedRoutes(): string[] {
  return operationsOf(document)
    .flatMap(({ path, method, servers }) =>
      servers.map(({ url }) => `${method.toUpperCase()} ${nameless(url.replace(/\/$/, '') + path)}`),
    )
    .sort();
}

/** From the decorators of every controller of the gateway, without starting it. */
function servedRoutes(): string[] {
  const module = GatewayModule.with({ config, connection: {} as never, logger: {} as never });
  return controllersOf(module)
    .flatMap(routesOf)
    .filter((route) => !PAGES.test(route))
    .sort();
}

function controllersOf(module: DynamicModule | Type): Type[] {
  const own = (key: 'controllers' | 'imports', type: Type) =>
    (Reflect.getMetadata(key, type) ?? []) as (Type | DynamicModule)[];
  const type = 'module' in module ? module.module : module;
  const dynamic = 'module' in module ? module : undefined;
  return [
    ...(dynamic?.controllers ?? []),
    ...(own('controllers', type) as Type[]),
    ...[...((dynamic?.imports ?? []) as Type[]), ...own('imports', type)].flatMap(controllersOf),
  ];
}

function routesOf(controller: Type): string[] {
  const prototype = controller.prototype as Record<string, unknown>;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    if (name === 'constructor' || typeof handler !== 'function') return [];
    const method = Reflect.getMetadata('method', handler) as RequestMethod | undefined;
    if (method === undefined) return [];
    const bases = pathsOf(controller);
    return bases.flatMap((base) =>
      pathsOf(handler).map(
        (path) =>
          `${RequestMethod[method]} ${nameless(`/${base}/${path}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1'))}`,
      ),
    );
  });
}

function pathsOf(target: object): string[] {
  return [Reflect.getMetadata('path', target) as string | string[] | undefined]
    .flat()
    .map((path) => path ?? '');
}

/** A parameter's name is no part of a route. */
function nameless(path: string): string {
  return path.replace(/:\w+|\{\w+\}/g, '{}');
}

function schemas(): Ajv2020 {
  const ajv = addFormats(new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: true }));
  ajv.addVocabulary(['components']);
  return ajv;
}

/** References as they are in the document, with what they refer to. */
function atRoot(schema: object): object {
  return JSON.parse(
    JSON.stringify({ ...schema, components: { schemas: document.components['schemas'] } }),
  ) as object;
}
