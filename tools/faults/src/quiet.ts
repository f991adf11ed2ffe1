import { setTimeout as sleep } from 'node:timers/promises';
import type { Arena } from './arena/arena';
import { query } from './invariants/facts';

/**
 * What is still to come: jobs without an end, discarded and deleted ones whose objects are there, ends of which nobody was
 * told, open holds, messages to be sent.
 */
const UNREST = `
  SELECT (SELECT count(*)::int FROM jobs.jobs WHERE state IN ('uploading', 'pending', 'processing', 'settling')) AS unfinished,
         (SELECT count(*)::int FROM jobs.jobs WHERE state = 'discarded' AND cleared_at IS NULL) AS undone,
         (SELECT count(*)::int FROM jobs.deletions WHERE erased_at IS NULL) AS unerased,
         (SELECT count(*)::int FROM jobs.jobs WHERE state IN ('completed', 'failed') AND announce_at IS NOT NULL) AS unannounced,
         (SELECT count(*)::int FROM accounts.webhook_deliveries WHERE state = 'pending') AS undelivered,
         (SELECT count(*)::int FROM billing.holds WHERE state = 'pending') AS holds,
         (SELECT count(*)::int FROM jobs.outbox) + (SELECT count(*)::int FROM billing.outbox) AS waiting`;

/**
 * Waits until nothing is under way any more, which is not a verdict: what is still unfinished when the bound is over is for
 * the invariants to find.
 * @returns seconds that it took, and what was left
 */
export async function untilQuiet(
  arena: Arena,
  withinSeconds: number,
): Promise<{ seconds: number; left: string }> {
  const began = performance.now();
  for (;;) {
    const [unrest] = await query<Record<string, number>>(arena, UNREST).catch(() => []);
    const seconds = (performance.now() - began) / 1000;
    if (unrest && Object.values(unrest).every((count) => count === 0)) return { seconds, left: '' };
    if (seconds > withinSeconds)
      return { seconds, left: JSON.stringify(unrest ?? 'the database does not answer') };
    await sleep(300);
  }
}
