import type { z } from 'zod';
import { RefusalException } from './refusal.exception';

/** Input that fits its schema, or a 400 whose text names the field and what it may be. */
export function parse<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const field = issue.path.join('.');
  throw RefusalException.of('invalid_parameter', field === '' ? issue.message : `${field}: ${issue.message}`);
}
