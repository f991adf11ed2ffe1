import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { parse } from './parse';
import { readBytes } from './read-bytes';
import { RefusalException } from './refusal.exception';

const MAX_BODY_BYTES = 64_000;

/** The request's body as JSON that fits the schema: `@JsonBody(NewApiKey) wanted: z.infer<typeof NewApiKey>`. */
export function JsonBody(schema: z.ZodType): ParameterDecorator {
  // A decorator for each schema, not one that is given it: Nest would take a schema for a pipe of its own.
  return createParamDecorator((_: unknown, context: ExecutionContext) =>
    readJsonBody(context.switchToHttp().getRequest<IncomingMessage>(), schema),
  )();
}

/**
 * At most 64 kB of JSON, sent as `application/json`. That type alone: a form on another site cannot send it.
 * @throws RefusalException 400, which names the field where the JSON does not fit the schema
 */
export async function readJsonBody<S extends z.ZodType>(
  request: IncomingMessage,
  schema: S,
): Promise<z.infer<S>> {
  if (!isJson(request.headers['content-type'] ?? ''))
    throw unreadable('Send the body as JSON, with Content-Type: application/json.');
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw unreadable('Send the body without a Content-Encoding.');
  return parse(schema, jsonOf(await readBytes(request, MAX_BODY_BYTES)));
}

/** A charset other than UTF-8 is found out when the body is decoded. */
function isJson(contentType: string): boolean {
  return contentType.split(';', 1)[0]!.trim().toLowerCase() === 'application/json';
}

function jsonOf(bytes: Buffer): object {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw unreadable('The body is not JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unreadable('The body must be a JSON object.');
  return value;
}

function unreadable(detail: string): RefusalException {
  return RefusalException.of('body_unreadable', detail);
}
