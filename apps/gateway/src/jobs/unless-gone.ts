import { GetJob, type Owner } from '@currawong/contracts';
import type { Requester } from '@currawong/messaging';
import { ObjectNotFound } from '@currawong/object-store';
import { valueOf } from '../http/refusal.exception';

/**
 * What is read of a job's result. Where the object is gone, the job may have been deleted since it was asked for: then it
 * is as if it had never been.
 * @throws RefusalException where the job is not there any more; else what the reading throws
 */
export async function unlessGone<T>(
  requester: Requester,
  owner: Owner,
  jobId: string,
  reading: Promise<T>,
): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ObjectNotFound) valueOf(await requester.ask(GetJob, { ...owner, job_id: jobId }));
    throw error;
  }
}
