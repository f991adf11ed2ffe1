import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

type Json = Record<string, unknown>;
interface Operation {
  responses: Record<string, { headers?: Json; content?: Record<string, { schema?: Json }> }>;
}
interface Document {
  servers: { url: string }[];
  paths: Record<string, { servers?: { url: string }[] } & Record<string, unknown>>;
  components: { schemas: Record<string, Json> };
}

export interface Received {
  status: number;
  headers: Headers;
  /** undefined where the answer is not JSON */
  body: unknown;
}

/** The contract as the running gateway publishes it, held against what the gateway answers. */
export class Documented {
  private readonly ajv = addFormats(new Ajv2020({ strict: true, allowUnionTypes: true }));
  private readonly validators = new Map<object, ValidateFunction>();
  private readonly routes: { pattern: RegExp; path: string; item: Record<string, unknown> }[];

  constructor(private readonly document: Document) {
    this.ajv.addVocabulary(['components']);
    this.routes = Object.entries(document.paths).flatMap(([path, item]) =>
      (item.servers ?? document.servers).map(({ url }) => ({
        pattern: new RegExp(`^${(url.replace(/\/$/, '') + path).replace(/\{\w+\}/g, '[^/]+')}$`),
        path,
        item,
      })),
    );
    // `/jobs/{job_id}` would also fit what is written out elsewhere.
    this.routes.sort((one, other) => one.path.split('{').length - other.path.split('{').length);
  }

  static async of(baseUrl: string): Promise<Documented> {
    return new Documented((await (await fetch(`${baseUrl}/api/v1/openapi.json`)).json()) as Document);
  }

  /** Fails the test where an answer is not as documented: its status, its type, its body down to every field. */
  check(method: string, target: string, { status, headers, body }: Received): void {
    const name = `${method} ${target} answered ${status}`;
    const path = target.split('?')[0]!;
    for (const header of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
      if (!/^\d+$/.test(headers.get(header) ?? '')) throw new Error(`${name} without ${header}`);
    }
    const operation = this.routes.find(({ pattern }) => pattern.test(path))?.item[method.toLowerCase()] as
      Operation | undefined;
    if (!operation) {
      if (status !== 404 && status !== 405) throw new Error(`${name}, which is not documented at all`);
      return this.requireErrorBody(name, headers, body);
    }
    const response = operation.responses[String(status)];
    // What is no request at all may be refused on every route: the answer `default`.
    if (!response && status === 404 && !isDecodable(path)) return this.requireErrorBody(name, headers, body);
    if (!response) throw new Error(`${name}, which is not documented: ${JSON.stringify(body)}`);
    const type = (headers.get('content-type') ?? '').split(';')[0]!;
    const content = Object.entries(response.content ?? {});
    const [, media] =
      content.find(([documented]) => new RegExp(`^${documented.replace('*', '.*')}$`).test(type)) ?? [];
    if (content.length > 0 && !media) throw new Error(`${name} as ${type}, which is not documented`);
    if (body === undefined || !media?.schema) return;
    const validate = this.validatorOf(media.schema);
    if (!validate(body))
      throw new Error(
        `${name} not as documented: ${this.ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`,
      );
  }

  private requireErrorBody(name: string, headers: Headers, body: unknown): void {
    const fields = Object.keys(body ?? {});
    if (fields.join() !== 'detail' || !headers.get('content-type')?.startsWith('application/json'))
      throw new Error(`${name} without a detail: ${JSON.stringify(body)}`);
  }

  private validatorOf(schema: object): ValidateFunction {
    let validate = this.validators.get(schema);
    if (!validate) {
      validate = this.ajv.compile(
        closed({ ...schema, components: { schemas: this.document.components.schemas } }) as Json,
      );
      this.validators.set(schema, validate);
    }
    return validate;
  }
}

/** The document lets answers grow; here no field may come that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  if (copy['type'] === 'object' && copy['properties'] && copy['additionalProperties'] === undefined)
    copy['additionalProperties'] = false;
  return copy;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
