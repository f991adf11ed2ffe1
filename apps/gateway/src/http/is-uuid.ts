import { z } from 'zod';

const Uuid = z.uuid();

/** Whether it could be the id of anything here. A malformed id is to get the answer of an unknown one. */
export function isUuid(sent: string): boolean {
  return Uuid.safeParse(sent).success;
}
