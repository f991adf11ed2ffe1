/** An attempt that a worker lost (crash, timeout, engine error) counts; one it gave back does not. */
export const MAX_FAILED_ATTEMPTS = 3;

export const GAVE_UP_MESSAGE =
  'The recording could not be transcribed after several attempts. Nothing was charged.';

/** What happens to a work item whose attempt ended without a result. */
export function afterLostAttempt(failuresBefore: number): { again: boolean; failures: number } {
  const failures = failuresBefore + 1;
  return { again: failures < MAX_FAILED_ATTEMPTS, failures };
}

/** How long a failed piece of work waits before it is tried again: the first time as given, then four times as long. */
export function retryDelaySeconds(failures: number, firstSeconds: number): number {
  return firstSeconds * 4 ** (failures - 1);
}

/**
 * How long queued work may stay unclaimed before its message counts as lost and is sent again under a new attempt.
 * Doubles each time: with all workers busy the queue is slow, not lost, and must not fill with copies.
 */
export function queueLeaseSeconds(resends: number, firstSeconds: number): number {
  return Math.min(firstSeconds * 2 ** resends, 3600);
}
