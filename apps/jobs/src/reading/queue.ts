import { row, rows, DataSource } from '@currawong/database';
import { Injectable } from '@nestjs/common';
import { slotsUp } from '../engines/engines';
import { costOf } from '../dispatch/fair-order';
import { TEST_RECORDING_SECONDS } from '../lifecycle/job';
import type { Queue, QueueMark } from '../lifecycle/outlook';

/** So many jobs from the front have a mark each; behind them every hundredth has, and every hundredth of each account. */
const EXACT_PLACES = 1_000;
const EVERY_SO_MANY = 100;
const SPEED_OF_LAST_SECONDS = 900;
const SPEED_OF_LAST_ITEMS = 200;

/** Asked for no more often than this, and where the question takes long for at most a twentieth of the time. */
const SHORTEST_AGE_MS = 1_000;
const REST_FACTOR = 20;

/**
 * The queue as it was a moment ago, the same for everybody who asks meanwhile: a thousand clients that poll their jobs cost
 * one question.
 */
@Injectable()
export class CurrentQueue {
  private asked: Promise<Queue> | undefined;
  private staleAtMs = 0;

  constructor(private readonly source: DataSource) {}

  now(): Promise<Queue> {
    if (!this.asked || performance.now() >= this.staleAtMs) {
      const startedAtMs = performance.now();
      this.staleAtMs = Infinity;
      const asked = readQueue(this.source).finally(() => {
        const endedAtMs = performance.now();
        this.staleAtMs = endedAtMs + Math.max(SHORTEST_AGE_MS, (endedAtMs - startedAtMs) * REST_FACTOR);
      });
      asked.catch(() => (this.asked = undefined));
      this.asked = asked;
    }
    return this.asked;
  }
}

/** For the test of its plan. */
export const queueQuestion = (): string => QUEUE;

/** One question over the indexes of what is unfinished, and two small ones. */
export async function readQueue(on: DataSource): Promise<Queue> {
  const found = await rows<QueueMark & { waiting: number; seconds: number }>(on, QUEUE);
  const speed = await row<{ speed: number | null }>(on, SPEED);
  return {
    marks: found.map(({ jobId, accountId, createdAtMs, waitingBefore, secondsBefore }) => ({
      ...{ jobId, accountId, createdAtMs, waitingBefore, secondsBefore },
    })),
    waiting: found[0]?.waiting ?? 0,
    seconds: found[0]?.seconds ?? 0,
    slots: await slotsUp(on),
    speed: speed?.speed ?? null,
  };
}

/** Of a job `j`: how much audio is recognized of it. */
const RECORDING_SECONDS = `CASE WHEN j.mode = 'test'
  THEN least(coalesce(j.duration_seconds, j.held_seconds, 0), ${TEST_RECORDING_SECONDS})
  ELSE coalesce(j.duration_seconds, j.held_seconds, 0) END`;

/** Of a piece of work `w`. */
const CHUNK_SECONDS = "((w.chunk->>'end_seconds')::float8 - (w.chunk->>'start_seconds')::float8)";

/**
 * Audio still to be recognized: a chunk says itself how long it is, and for chunks that are not cut yet stands what is left
 * to cut. A job waits when none of its work is in a worker's hands. The conditions are those of the indexes of unfinished
 * work and unfinished jobs, without which the planner would read everything there ever was.
 *
 * The order is that in which work will be released: first what was released, by age, then what waits, by the turns of its
 * accounts as `chooseTurns` will give them. A piece's turn starts when its account's earlier ones have had theirs. A job stands
 * where its first piece does. (What an account has waiting for the duty of audio has turns of its own, about which speech
 * knows nothing: it is placed by the same reckoning, as an estimate.)
 */
const QUEUE = `
  WITH clock AS (SELECT virtual_time FROM dispatch_clocks WHERE duty = 'speech'),
  work AS (
    SELECT w.job_id, j.account_id, w.created_at, w.state, w.release_after IS NOT NULL AND w.state = 'queued' AS unreleased,
           (1 - w.fraction) * CASE w.stage WHEN 'recognize' THEN ${CHUNK_SECONDS}
                                           WHEN 'assemble' THEN 0 ELSE ${RECORDING_SECONDS} END AS seconds,
           CASE WHEN w.release_after IS NULL OR w.state = 'running' THEN 0
                ELSE greatest((SELECT virtual_time FROM clock), t.due, 0)
                   + sum(CASE WHEN w.release_after IS NULL THEN 0 ELSE coalesce(w.audio_seconds, 0) + ${costOf({ seconds: 0 })} END)
                       OVER (PARTITION BY j.account_id ORDER BY w.created_at, w.id
                             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) / coalesce(l.weight, 1) END AS turn
      FROM work_items w JOIN jobs j ON j.id = w.job_id AND j.state NOT IN ('completed', 'failed')
      LEFT JOIN dispatch_turns t ON t.account_id = j.account_id AND t.duty = 'speech'
      LEFT JOIN account_limits l ON l.account_id = j.account_id
     WHERE w.state IN ('queued', 'running')
  ), unfinished AS (
    SELECT job_id, account_id, min(created_at) AS created_at, NOT bool_or(state = 'running') AS waits,
           bool_and(unreleased) AS unreleased, coalesce(min(turn), 0) AS turn, sum(seconds) AS seconds
      FROM work GROUP BY job_id, account_id
  ), placed AS (
    SELECT job_id AS "jobId", account_id AS "accountId",
           floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAtMs",
           count(*) FILTER (WHERE waits) OVER before AS before,
           row_number() OVER (PARTITION BY account_id ORDER BY unreleased, turn, created_at, job_id) AS of_account,
           coalesce(sum(seconds) OVER before, 0)::float8 AS "secondsBefore",
           (count(*) FILTER (WHERE waits) OVER ())::int AS waiting, sum(seconds) OVER ()::float8 AS seconds
      FROM unfinished
    WINDOW before AS (ORDER BY unreleased, turn, created_at, job_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
  )
  SELECT "jobId", "accountId", "createdAtMs", before::int AS "waitingBefore", "secondsBefore", waiting, seconds FROM placed
   WHERE before < ${EXACT_PLACES} OR before % ${EVERY_SO_MANY} = 0 OR of_account % ${EVERY_SO_MANY} = 0
   ORDER BY before, "createdAtMs"`;

/** Work in one go that found the recording to be long cut it, and recognized nothing: its job has chunks. */
const SPEED = `
  SELECT sum(audio_seconds) / nullif(sum(slot_seconds), 0) AS speed FROM (
    SELECT CASE w.stage WHEN 'recognize' THEN ${CHUNK_SECONDS} ELSE ${RECORDING_SECONDS} END AS audio_seconds,
           greatest(0.001, extract(epoch FROM w.finished_at - w.started_at)::float8) AS slot_seconds
      FROM work_items w JOIN jobs j ON j.id = w.job_id
     WHERE w.state = 'done' AND w.stage IN ('whole', 'recognize') AND w.started_at IS NOT NULL
       AND w.finished_at > now() - make_interval(secs => ${SPEED_OF_LAST_SECONDS})
       AND (w.stage = 'recognize' OR (j.chunks IS NULL AND j.duration_seconds IS NOT NULL))
     ORDER BY w.finished_at DESC LIMIT ${SPEED_OF_LAST_ITEMS}) of_late
   HAVING sum(audio_seconds) > 0`;
