import {
  AccountBody,
  ApiKeyBody,
  ApiKeyList,
  AuditLog,
  CreatedApiKey,
  CreditBody,
  DeletionList,
  DeletionReceipt,
  DoneBody,
  ErrorBody,
  HealthBody,
  JobDetail,
  JobList,
  JobListItem,
  LanguageList,
  LegacyStatus,
  QueueStatus,
  SessionBody,
  ShownSegment,
  SignInOptions,
  Statement,
  StatementLine,
  StoreUpload,
  SubmissionReceipt,
  TopUpBody,
  TopUpList,
  TranscriptWord,
  UsageBody,
  UsageBreakdown,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookSecret,
  WebhookSettings,
} from '@currawong/contracts';
import { z } from 'zod';
import { FIELD_NOTES } from './field-notes';

export type JsonSchema = Record<string, unknown>;

/** The answers that have a name in the document, and so in clients generated from it. */
const NAMED = {
  AccountBody,
  ApiKeyBody,
  ApiKeyList,
  AuditLog,
  CreatedApiKey,
  CreditBody,
  DeletionList,
  DeletionReceipt,
  DoneBody,
  ErrorBody,
  HealthBody,
  JobDetail,
  JobList,
  JobListItem,
  LanguageList,
  LegacyStatus,
  QueueStatus,
  SessionBody,
  ShownSegment,
  SignInOptions,
  Statement,
  StatementLine,
  StoreUpload,
  SubmissionReceipt,
  TopUpBody,
  TopUpList,
  TranscriptWord,
  UsageBody,
  UsageBreakdown,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookSecret,
  WebhookSettings,
};
const POINTER = '#/components/schemas/';

const names = new Map<z.ZodType, string>(Object.entries(NAMED).map(([name, schema]) => [schema, name]));

/** Every named schema, by name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(NAMED)) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, { io: 'output', uri: (id) => POINTER + id, override });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, noted(name, bare(schema))]),
  );
}

/** An answer's schema: a reference where it has a name. */
export function answerSchema(schema: z.ZodType): JsonSchema {
  const name = names.get(schema);
  return name ? { $ref: POINTER + name } : bare(z.toJSONSchema(schema, { io: 'output', override }));
}

/** What may be sent: as it is on the wire, before it is trimmed or read as a number. */
export function bodySchema(schema: z.ZodType): JsonSchema {
  return bare(z.toJSONSchema(schema, { io: 'input', override }));
}

/** The parameters of a query by name, as what their texts stand for: `page` is a number, though it is sent as digits. */
export function queryParameters(schema: z.ZodObject): Record<string, JsonSchema> {
  // What a transformation makes has no schema: the caller says what it is.
  const { properties } = bare(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', override }));
  return properties as Record<string, JsonSchema>;
}

/** Patterns that only repeat a format, and limits that only repeat what a number can hold, hide what matters. */
function override({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  // Clients have to expect new fields: what is added later breaks nobody who does not look at it.
  if (jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  if (jsonSchema['format'] === 'date-time') jsonSchema['pattern'] = 'Z$';
  else if (typeof jsonSchema['format'] === 'string') delete jsonSchema['pattern'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
}

function bare(schema: object): JsonSchema {
  const { $schema: _schema, $id: _id, '~standard': _standard, ...rest } = schema as JsonSchema;
  return rest;
}

/** With what is to be known of its fields. */
function noted(name: string, schema: JsonSchema): JsonSchema {
  const properties = { ...(schema['properties'] as Record<string, JsonSchema>) };
  for (const [field, description] of Object.entries(FIELD_NOTES[name] ?? {})) {
    if (!properties[field]) throw new Error(`${name} has no field ${field}.`);
    properties[field] = { ...properties[field], description };
  }
  return { ...schema, properties };
}
