import { headers, type MsgHdrs } from '@nats-io/transport-node';

export function toHeaders(record: Record<string, string>): MsgHdrs {
  const result = headers();
  for (const [name, value] of Object.entries(record)) result.set(name, value);
  return result;
}

/** The last value counts where a name is repeated; names are as they were sent. */
export function fromHeaders(message: MsgHdrs | undefined): Record<string, string> {
  const record: Record<string, string> = {};
  for (const name of message?.keys() ?? []) record[name] = message?.last(name) ?? '';
  return record;
}
