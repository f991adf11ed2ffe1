import { WebhookEvent } from '@currawong/contracts';
import type { OpenApiDocument } from './openapi';
import { answerSchema, type JsonSchema } from './schemas';

/** What the client library works with; whatever these name comes with them. */
const WANTED = [
  'SubmissionReceipt',
  'DeletionReceipt',
  'JobDetail',
  'JobList',
  'LanguageList',
  'CreditBody',
  'UsageBody',
];
const POINTER = '#/components/schemas/';

/** The answers of the document as TypeScript, for programs that have neither these schemas nor what reads them. */
export function clientTypes({ components }: OpenApiDocument): string {
  const schemas = components['schemas']!;
  const needed = new Set<string>();
  const need = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const [, other] of JSON.stringify(schemas[name]).matchAll(
      /"\$ref":"#\/components\/schemas\/(\w+)"/g,
    ))
      need(other!);
  };
  WANTED.forEach(need);
  const declarations = [...needed]
    .sort()
    .map((name) => `export interface ${name} ${typeOf(schemas[name]!, '')}`);
  const heading =
    '// Written from the OpenAPI document; apps/gateway/src/docs/client-types.spec.ts says how.';
  // Sent, not answered, and so not among the named ones.
  const event = `export type WebhookEvent = ${typeOf(answerSchema(WebhookEvent), '')};`;
  return `${[heading, ...declarations, event].join('\n\n')}\n`;
}

function typeOf(schema: JsonSchema, indent: string): string {
  const {
    $ref,
    oneOf,
    anyOf = oneOf,
    enum: values,
    type,
    items,
    properties,
    additionalProperties,
  } = schema as Known;
  if ($ref !== undefined) return $ref.slice(POINTER.length);
  if ('const' in schema) return literal(schema['const']);
  if (values) return values.map(literal).join(' | ');
  if (anyOf) return anyOf.map((one) => typeOf(one, indent)).join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, indent)).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `Array<${typeOf(items!, indent)}>`;
    case 'object':
      if (properties && Object.keys(properties).length === 0) return 'Record<string, never>';
      return properties
        ? objectType(schema, properties, indent)
        : `Record<string, ${typeOf(additionalProperties!, indent)}>`;
    default:
      throw new Error(`A schema of another kind: ${JSON.stringify(schema)}`);
  }
}

type SimpleType = 'string' | 'boolean' | 'null' | 'number' | 'integer' | 'array' | 'object';

interface Known {
  $ref?: string;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  type?: SimpleType | SimpleType[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema;
}

function objectType(schema: JsonSchema, properties: Record<string, JsonSchema>, indent: string): string {
  const required = (schema['required'] ?? []) as string[];
  const inner = `${indent}  `;
  const fields = Object.entries(properties).flatMap(([name, property]) => [
    ...(typeof property['description'] === 'string' ? [`${inner}/** ${property['description']} */`] : []),
    `${inner}${name}${required.includes(name) ? '' : '?'}: ${typeOf(property, inner)};`,
  ]);
  return ['{', ...fields, `${indent}}`].join('\n');
}

/** As prettier writes it. */
function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", String.raw`\'`)}'` : String(value);
}
