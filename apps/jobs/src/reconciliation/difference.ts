import type { HoldView } from '@currawong/contracts';
import type { JobState } from '../lifecycle/job';

/** A job as billing must agree with it. */
export interface ComparedJob {
  id: string;
  account_id: string;
  mode: 'live' | 'test';
  state: JobState;
  /** bigint as text, as the driver gives it */
  cost_micro_aud: string | null;
}

/** In what way a job and what billing holds for it can contradict each other. */
export const DIFFERENCES = [
  /** Credit is set aside, and nothing that it is for is under way. */
  'hold_without_job',
  /** Something was charged for a job that nobody knows, or that costs nothing. */
  'charge_without_job',
  /** Work is under way for which nothing is set aside. */
  'job_without_hold',
  'completed_not_charged',
  'completed_charged_otherwise',
  'failed_held',
  'failed_charged',
  /** The hold is another account's. */
  'account_differs',
] as const;
export type Difference = (typeof DIFFERENCES)[number];

/** Null where both agree. What is between two states at the moment differs as well; that passes. */
export function differenceOf(job: ComparedJob | undefined, hold: HoldView | undefined): Difference | null {
  const isOpen = hold?.state === 'pending';
  const isCharged = hold?.state === 'captured';
  if (!job || job.mode === 'test' || job.state === 'discarded')
    return isOpen ? 'hold_without_job' : isCharged ? 'charge_without_job' : null;
  if (hold && hold.account_id !== job.account_id) return 'account_differs';
  switch (job.state) {
    // Its price is held before it is accepted.
    case 'uploading':
      return isCharged ? 'charge_without_job' : null;
    case 'pending':
    case 'processing':
    case 'settling':
      return isOpen ? null : 'job_without_hold';
    case 'completed':
      if (!isCharged) return 'completed_not_charged';
      return String(hold.charged_micro_aud) === job.cost_micro_aud ? null : 'completed_charged_otherwise';
    case 'failed':
      return isOpen ? 'failed_held' : isCharged ? 'failed_charged' : null;
  }
}
