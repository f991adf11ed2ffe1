import { row, rows, DataSource } from '@currawong/database';
import { Injectable } from '@nestjs/common';
import { slotsUp } from '../engines/engines';
import { TEST_RECORDING_SECONDS } from '../lifecycle/job';
import type { Queue, QueueMark } from '../lifecycle/outlook';

/** So many jobs from the front have a mark each; behind them every hundredth has. */
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
    marks: found.map(({ jobId, queuedAtMs, waitingBefore, secondsBefore }) => ({
      ...{ jobId, queuedAtMs, waitingBefore, secondsBefore },
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
 */
const QUEUE = `
  WITH unfinished AS (
    SELECT w.job_id, min(w.queued_at) AS queued_at, NOT bool_or(w.state = 'running') AS waits,
           sum((1 - w.fraction) * CASE w.stage WHEN 'recognize' THEN ${CHUNK_SECONDS}
                                               WHEN 'assemble' THEN 0 ELSE ${RECORDING_SECONDS} END) AS seconds
      FROM work_items w JOIN jobs j ON j.id = w.job_id AND j.state NOT IN ('completed', 'failed')
     WHERE w.state IN ('queued', 'running') GROUP BY w.job_id
  ), placed AS (
    SELECT job_id AS "jobId", floor(extract(epoch FROM queued_at) * 1000)::float8 AS "queuedAtMs",
           count(*) FILTER (WHERE waits) OVER before AS before,
           coalesce(sum(seconds) OVER before, 0)::float8 AS "secondsBefore",
           (count(*) FILTER (WHERE waits) OVER ())::int AS waiting, sum(seconds) OVER ()::float8 AS seconds
      FROM unfinished WINDOW before AS (ORDER BY queued_at, job_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
  )
  SELECT "jobId", "queuedAtMs", before::int AS "waitingBefore", "secondsBefore", waiting, seconds FROM placed
   WHERE before < ${EXACT_PLACES} OR before % ${EVERY_SO_MANY} = 0 ORDER BY "queuedAtMs", before`;

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
