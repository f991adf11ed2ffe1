import type { MsgHdrs } from '@nats-io/transport-node';
import { z } from 'zod';
import { ERRORS, type ErrorCode, type RequestContract } from '@currawong/contracts';
import { toHeaders } from './headers';

/** An answer on the wire is the Result itself as JSON; a breakdown is a header without a body. */
export function resultSchemaOf(contract: RequestContract): z.ZodType {
  let schema = schemas.get(contract);
  if (schema === undefined) {
    schema = z.union([
      z.object({ ok: z.literal(true), value: contract.reply }),
      z.object({ ok: z.literal(false), refusal: refusalSchema }),
    ]);
    schemas.set(contract, schema);
  }
  return schema;
}

export function isBreakdown(headers: MsgHdrs | undefined): boolean {
  return headers?.has(BREAKDOWN_HEADER) ?? false;
}

export function breakdownHeaders(): MsgHdrs {
  return toHeaders({ [BREAKDOWN_HEADER]: '1' });
}

const BREAKDOWN_HEADER = 'Currawong-Breakdown';
const schemas = new WeakMap<RequestContract, z.ZodType>();
const refusalSchema = z.object({
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  detail: z.string(),
});
