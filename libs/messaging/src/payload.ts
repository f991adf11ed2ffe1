import type { z } from 'zod';
import { InvalidMessage } from './errors';

export type Decoded<T> = { ok: true; value: T } | { ok: false; issues: string };

/** JSON bytes to the contract's type. Never throws: what arrives is not ours to trust. */
export function decodePayload<S extends z.ZodType>(schema: S, bytes: Uint8Array): Decoded<z.infer<S>> {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    return { ok: false, issues: 'not JSON' };
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, issues: readable(parsed.error) };
}

/** @throws InvalidMessage when the payload breaks its own contract */
export function encodePayload(schema: z.ZodType, subject: string, payload: unknown): string {
  const parsed = schema.safeParse(payload);
  if (!parsed.success) throw new InvalidMessage(subject, readable(parsed.error));
  return JSON.stringify(parsed.data);
}

/** Paths and messages only: values may hold what customers said. */
function readable(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'payload'}: ${issue.message}`).join('; ');
}

const decoder = new TextDecoder();
