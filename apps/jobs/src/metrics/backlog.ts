import { Stage } from '@currawong/contracts';
import { rows, type DataSource } from '@currawong/database';
import { isWaiting } from '../storage/waiting-work';
import { DUTIES, type Duty } from '../dispatch/duties';
import { TEST_RECORDING_SECONDS, type JobState } from '../lifecycle/job';

const UNFINISHED = ['uploading', 'pending', 'processing', 'settling'] as const satisfies JobState[];

/** What is to be done at the moment, with a 0 for everything there is none of. */
export interface Backlog {
  jobs: Record<(typeof UNFINISHED)[number], number>;
  work: WorkInState[];
  oldestQueuedSeconds: Record<Stage, number>;
  /** Of the queued work, what waits for its account's turn to be released to the stream. */
  waiting: Record<Duty, { items: number; accounts: number }>;
}

/** For the test of their plans. */
export const backlogQuestions = (): string[] => [JOBS, WORK, ...DUTIES.map(waitingQuestion)];

export interface WorkInState {
  stage: Stage;
  state: 'queued' | 'running';
  items: number;
  /** length of the audio that the items are about */
  audioSeconds: number;
}

/** Two questions over the indexes of what is unfinished: their cost does not grow with the jobs that have ended. */
export async function readBacklog(source: DataSource): Promise<Backlog> {
  const jobs = await rows<{ state: keyof Backlog['jobs']; jobs: number }>(source, JOBS);
  const work = await rows<WorkInState & { oldestSeconds: number }>(source, WORK);
  const waiting = {} as Backlog['waiting'];
  for (const duty of DUTIES)
    waiting[duty] = (await rows<Backlog['waiting'][Duty]>(source, waitingQuestion(duty)))[0]!;
  const workOf = (stage: Stage, state: WorkInState['state']) =>
    work.find((found) => found.stage === stage && found.state === state);
  return {
    jobs: recordOf(UNFINISHED, (state) => jobs.find((found) => found.state === state)?.jobs ?? 0),
    work: Stage.options.flatMap((stage) =>
      (['queued', 'running'] as const).map((state) => ({
        stage,
        state,
        items: workOf(stage, state)?.items ?? 0,
        audioSeconds: workOf(stage, state)?.audioSeconds ?? 0,
      })),
    ),
    oldestQueuedSeconds: recordOf(Stage.options, (stage) => workOf(stage, 'queued')?.oldestSeconds ?? 0),
    waiting,
  };
}

function waitingQuestion(duty: Duty): string {
  return `SELECT count(*)::int AS items, count(DISTINCT account_id)::int AS accounts FROM work_items WHERE ${isWaiting(duty)}`;
}

/** The condition is that of the index `jobs_unfinished`. */
const JOBS = `
  SELECT state, count(*)::int AS jobs FROM jobs
   WHERE state NOT IN ('completed', 'failed') AND state <> 'discarded' GROUP BY state`;

/**
 * The conditions are those of the indexes `work_items_by_lease` and `jobs_unfinished`: an ended job has no such work, but the
 * planner would not know and read all jobs there are. A chunk says itself how long its own part is; other work is about the whole
 * recording, as measured or else as held for, of which a test key has only the beginning recognized. Speakers are told apart
 * anew for jobs that have ended: that work has the index `work_items_rediarized`.
 */
const WORK = `
  SELECT w.stage, w.state, count(*)::int AS items,
         sum(CASE WHEN w.stage = 'recognize'
                  THEN coalesce(w.chunk->>'own_end_seconds', w.chunk->>'end_seconds')::float8
                     - coalesce(w.chunk->>'own_start_seconds', w.chunk->>'start_seconds')::float8
                  WHEN j.mode = 'test' THEN least(coalesce(j.duration_seconds, j.held_seconds, 0), ${TEST_RECORDING_SECONDS})
                  ELSE coalesce(j.duration_seconds, j.held_seconds, 0) END)::float8 AS "audioSeconds",
         extract(epoch FROM now() - min(w.queued_at))::float8 AS "oldestSeconds"
    FROM work_items w JOIN jobs j ON j.id = w.job_id AND j.state NOT IN ('completed', 'failed')
   WHERE w.state IN ('queued', 'running') GROUP BY w.stage, w.state
  UNION ALL
  SELECT w.stage, w.state, count(*)::int, sum(j.duration_seconds)::float8,
         extract(epoch FROM now() - min(w.queued_at))::float8
    FROM work_items w JOIN jobs j ON j.id = w.job_id
   WHERE w.stage = 'rediarize' AND w.state IN ('queued', 'running') GROUP BY w.stage, w.state`;

function recordOf<Key extends string>(
  keys: readonly Key[],
  value: (key: Key) => number,
): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<Key, number>;
}
