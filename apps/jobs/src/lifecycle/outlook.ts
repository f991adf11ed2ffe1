/**
 * When a job will be done, reckoned from what is measured. Seconds:
 *
 *   ahead / (slots × speed) + own / (hands × speed),   at least 1
 *
 *   ahead   seconds of audio still to be recognized of jobs that were queued before
 *   own     seconds of audio still to be recognized of this job
 *   speed   seconds of audio that one slot recognized in a second of late
 *   slots   pieces of audio that the workers which are up recognize at a time
 *   hands   as many of them as this job has pieces for: `own` divided by the longest piece, rounded up
 */
export function secondsUntilDone(work: {
  aheadSeconds: number;
  ownSeconds: number;
  speed: number;
  slots: number;
  chunkSeconds: number;
}): number {
  const { aheadSeconds, ownSeconds, speed, slots, chunkSeconds } = work;
  const hands = Math.min(slots, Math.max(1, Math.ceil(ownSeconds / chunkSeconds)));
  // What has been recognized still has to be put together and charged.
  return Math.max(1, aheadSeconds / (slots * speed) + ownSeconds / (hands * speed));
}

/** Where a job that has work to be done stands in the order in which work is released. */
export interface QueueMark {
  jobId: string;
  accountId: string;
  /** When the oldest of that work was made, whole ms since 1970. */
  createdAtMs: number;
  /** How many jobs that wait come before it. */
  waitingBefore: number;
  /** Audio still to be recognized of all jobs that come before it. */
  secondsBefore: number;
}

/** What is to be done at a moment. Not every job has a mark: see `readQueue`. */
export interface Queue {
  /** In the order of their turns. An account's own jobs have theirs in the order in which they were made. */
  marks: readonly QueueMark[];
  waiting: number;
  seconds: number;
  slots: number;
  /** null where nothing was recognized of late */
  speed: number | null;
}

export interface Place {
  waitingBefore: number;
  secondsBefore: number;
}

/**
 * Where a job stands; one without a mark of its own, where its account's nearest before it does, or else anybody's. One that
 * came later than all is taken for the last until the queue is read again, though its turn may come sooner.
 */
export function placeIn(
  { marks, waiting, seconds }: Queue,
  job: { id: string; accountId: string; createdAtMs: number },
): Place {
  const own = marks.find((mark) => mark.jobId === job.id);
  if (own) return own;
  const newest = marks.reduce((latest, mark) => Math.max(latest, mark.createdAtMs), -Infinity);
  if (job.createdAtMs > newest) return { waitingBefore: waiting, secondsBefore: seconds };
  const isBefore = (mark: QueueMark) => mark.createdAtMs <= job.createdAtMs;
  return (
    marks.findLast((mark) => mark.accountId === job.accountId && isBefore(mark)) ??
    marks.findLast(isBefore) ?? { waitingBefore: 0, secondsBefore: 0 }
  );
}
