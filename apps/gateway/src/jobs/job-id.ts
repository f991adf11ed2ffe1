import { isUuid } from '../http/is-uuid';
import { RefusalException } from '../http/refusal.exception';

/** A job's id from a path. A malformed one gets the answer of an unknown one. @throws RefusalException */
export function jobIdFrom(sent: string): string {
  if (!isUuid(sent)) throw RefusalException.of('job_not_found');
  return sent;
}
