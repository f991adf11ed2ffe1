import { ErrorBody, ERRORS } from '@currawong/contracts';
import { z } from 'zod';
import type { GatewayConfig } from '../config';
import type { AcceptedLanguages } from '../languages/languages';
import {
  codeOf,
  refusalsOf,
  TAGS,
  textOf,
  type Answer,
  type ErrorForm,
  type Operation,
  type Refusable,
} from './operation';
import { operations } from './operations';
import { answerSchema, bodySchema, componentSchemas, queryParameters, type JsonSchema } from './schemas';

/** An OpenAPI 3.1 document; its schemas are JSON Schema 2020-12. */
export interface OpenApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: Server[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: Record<string, Record<string, JsonSchema>>;
}
type Server = { url: string; description: string };
export type PathItem = { servers?: Server[] } & { [method in Operation['method']]?: OperationObject };
export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: ParameterObject[];
  requestBody?: { required: true; content: Record<string, MediaType> };
  responses: Record<string, ResponseObject>;
}
export interface ParameterObject {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}
export interface ResponseObject {
  description: string;
  headers?: Record<string, JsonSchema>;
  content?: Record<string, MediaType>;
}
interface MediaType {
  schema?: JsonSchema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** `accepted`: what the engines can at the moment. */
export type DocumentedConfig = Pick<GatewayConfig, 'MAX_FILE_BYTES'> & {
  accepted: Pick<AcceptedLanguages, 'languages' | 'auto'>;
};

/** What this gateway answers, from the schemas that it answers with. */
export function openApiDocument(config: DocumentedConfig): OpenApiDocument {
  const paths: Record<string, PathItem> = {};
  for (const operation of operations(config)) {
    const servers = SERVERS[operation.under ?? 'versioned'];
    const item = (paths[operation.path] ??= servers === SERVERS.versioned ? {} : { servers });
    item[operation.method] = operationObject(operation);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Currawong',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: SERVERS.versioned,
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
    },
  };
}

const DESCRIPTION =
  'Currawong turns recordings into text and into speaker-labelled text. Send a file, get a job id at once, ask for ' +
  'the job until it has ended. Every answer is JSON unless it says otherwise; every error is `{"detail": "<text>"}`. ' +
  'Timestamps are ISO 8601 in UTC. New fields may be added to answers: ignore those that you do not know.';

const API: Server = { url: '/api/v1', description: 'The API' };
const SHORT: Server = { url: '/v1', description: 'The same, under the shorter path' };
const ROOT: Server = { url: '/', description: 'Without a version' };
const SERVERS = {
  versioned: [API, SHORT],
  'versioned and root': [ROOT, API, SHORT],
  root: [ROOT],
};

const SECURITY_SCHEMES: Record<string, JsonSchema> = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'Made in the dashboard under Settings → API keys: `sk_live_…` or `sk_test_…`.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key, as programs for OpenAI’s API send it. On their routes alone.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'currawong_session',
    description:
      'The cookie of whoever is signed in on the dashboard (over https `__Host-currawong_session`). Requests that ' +
      'change something also need the header `X-CSRF-Token` with the `csrf_token` of GET /session.',
  },
  paymentSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'Stripe-Signature',
    description: 'The payment provider’s signature over the bytes of the body.',
  },
};

const HEADERS: Record<string, JsonSchema> = {
  'RateLimit-Limit': {
    description: 'Requests that are allowed in a minute.',
    schema: { type: 'integer', minimum: 1 },
  },
  'RateLimit-Remaining': {
    description: 'Requests that are still allowed now.',
    schema: { type: 'integer', minimum: 0 },
  },
  'RateLimit-Reset': {
    description: 'Whole seconds until all of them are allowed again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Retry-After': {
    description:
      'Whole seconds. With a 429 the request is allowed after them for certain; with a 503 it is worth trying again.',
    schema: { type: 'integer', minimum: 1 },
  },
};
const RATE_LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

const SECURITY: Record<Operation['access'], Record<string, string[]>[]> = {
  anyone: [],
  'key or session': [{ apiKey: [] }, { session: [] }],
  'key, bearer or session': [{ apiKey: [] }, { bearer: [] }, { session: [] }],
  session: [{ session: [] }],
  'payment provider': [{ paymentSignature: [] }],
};

function operationObject(operation: Operation): OperationObject {
  const { id, tag, summary, description, access, body } = operation;
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: SECURITY[access],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          [body.mediaType]: {
            schema: body.schema instanceof z.ZodType ? bodySchema(body.schema) : body.schema,
            ...(body.example !== undefined && { example: body.example }),
          },
        },
      },
    }),
    responses: {
      ...answersOf(operation.answers),
      ...refusalAnswers(refusalsOf(operation), operation.errors),
      default: DEFAULT,
    },
  };
}

function parametersOf({ id, path, query, parameters = {}, headers = {} }: Operation): ParameterObject[] {
  const note = (name: string) => {
    const found = parameters[name] ?? headers[name];
    if (!found) throw new Error(`${id} does not say what its parameter ${name} means.`);
    return found;
  };
  const parameter = (name: string, place: ParameterObject['in'], schema: JsonSchema): ParameterObject => {
    const { description, example, required = place === 'path' } = note(name);
    return { name, in: place, required, description, schema, ...(example !== undefined && { example }) };
  };
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
      parameter(name!, 'path', note(name!).schema ?? { type: 'string', format: 'uuid' }),
    ),
    ...Object.entries(query ? queryParameters(query) : {}).map(([name, schema]) =>
      parameter(name, 'query', schema),
    ),
    ...Object.entries(headers).map(([name, { schema = { type: 'string' } }]) =>
      parameter(name, 'header', schema),
    ),
  ];
}

function answersOf(answers: Operation['answers']): Record<string, ResponseObject> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, answerObject(answer)]),
  );
}

function answerObject({ description, schema, example, content, headers = {} }: Answer): ResponseObject {
  const media = schema ? { 'application/json': { schema, example } } : content;
  return {
    description,
    headers: { ...headerReferences(RATE_LIMIT_HEADERS), ...headers },
    ...(media && {
      content: Object.fromEntries(
        Object.entries(media).map(([type, one]) => [
          type,
          {
            ...(one.schema && {
              schema: one.schema instanceof z.ZodType ? answerSchema(one.schema) : one.schema,
            }),
            ...(one.example !== undefined && { example: one.example }),
          },
        ]),
      ),
    }),
  };
}

const DETAIL_ALONE: ErrorForm = { schema: ErrorBody, body: (_status, detail) => ({ detail }) };

/** Refusals by the status that they become, each text as an example. */
function refusalAnswers(
  refusals: readonly Refusable[],
  errors: ErrorForm = DETAIL_ALONE,
): Record<string, ResponseObject> {
  const byStatus = Map.groupBy(refusals, (refusable) => ERRORS[codeOf(refusable)].status);
  return Object.fromEntries(
    [...byStatus].map(([status, ones]) => [
      String(status),
      {
        description: STATUS_MEANING[status] ?? 'Refused.',
        headers: headerReferences([
          ...RATE_LIMIT_HEADERS,
          ...(status === 429 || status === 503 ? ['Retry-After'] : []),
        ]),
        content: {
          'application/json': {
            schema: answerSchema(errors.schema),
            examples: Object.fromEntries(
              ones.map((one) => [
                exampleName(one, ones),
                { value: errors.body(status, textOf(one), codeOf(one)) },
              ]),
            ),
          },
        },
      },
    ]),
  );
}

/** The code, with a number where one code has several texts. */
function exampleName(one: Refusable, among: readonly Refusable[]): string {
  const same = among.filter((other) => codeOf(other) === codeOf(one));
  return same.length === 1 ? codeOf(one) : `${codeOf(one)}_${same.indexOf(one) + 1}`;
}

function headerReferences(names: readonly string[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const STATUS_MEANING: Record<number, string> = {
  400: 'Something in the request is not allowed; the text names it.',
  401: 'Nobody is known by what was sent.',
  402: 'Not enough credit; the text gives the numbers.',
  403: 'Known, but not allowed.',
  404: 'There is no such thing for this caller.',
  409: 'It contradicts what is there.',
  410: 'It was there, and is not kept any more.',
  416: 'No such range of bytes.',
  422: 'The job failed; the text says why, and nothing was charged.',
  429: 'The rate limit is exceeded. After `Retry-After` seconds the request is allowed.',
  500: 'It failed on our side and nothing was kept.',
  503: 'It cannot be done now; try again after `Retry-After` seconds.',
};

/** What is refused before an operation is known: not HTTP, too slow, a header too large, an unknown Expect. */
const DEFAULT: ResponseObject = {
  description: 'What is no request at all: 400, 408, 417 or 431.',
  content: {
    'application/json': {
      schema: answerSchema(ErrorBody),
      examples: Object.fromEntries(
        (
          ['malformed_request', 'request_timeout', 'expectation_unsupported', 'headers_too_large'] as const
        ).map((code) => [code, { value: { detail: ERRORS[code].text } }]),
      ),
    },
  },
};
