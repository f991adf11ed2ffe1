import { z } from 'zod';
import { RefusalException } from '../http/refusal.exception';

const JobId = z.uuid();

/** A job's id from a path. A malformed one gets the answer of an unknown one. @throws RefusalException */
export function jobIdFrom(sent: string): string {
  if (!JobId.safeParse(sent).success) throw RefusalException.of('job_not_found');
  return sent;
}
