import type { Stage } from '@currawong/contracts';
import { row, rows, type DataSource, type EntityManager } from '@currawong/database';
import type { Contender } from '../dispatch/fair-order';
import type { Released } from '../dispatch/window';
import { DUTIES, DUTY_OF_STAGE, type Duty } from '../dispatch/duties';
import type { WorkRecord } from './work-records';

type On = DataSource | EntityManager;

/** SQL: the stages of each duty, as the indexes of waiting work have them. */
export const STAGES_OF_DUTY: Readonly<Record<Duty, string>> = {
  speech: stagesOf('speech'),
  audio: stagesOf('audio'),
};

function stagesOf(duty: Duty): string {
  const stages = (Object.keys(DUTY_OF_STAGE) as Stage[]).filter((stage) => DUTY_OF_STAGE[stage] === duty);
  return `stage IN (${stages.map((stage) => `'${stage}'`).join(', ')})`;
}

/** SQL: the condition of the index of a duty's waiting work. */
export function isWaiting(duty: Duty, table = 'work_items'): string {
  return `${table}.state = 'queued' AND ${table}.release_after IS NOT NULL AND ${table}.${STAGES_OF_DUTY[duty]}`;
}

/** So many pieces of one account are looked at in one round. */
const LOOK_AHEAD = 32;

/**
 * Whoever decides what is released has this lock until the decision is committed, so that two processes never take the same
 * room: the next one to have it sees what was released.
 */
export async function lockReleases(manager: EntityManager, duty: Duty): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtext($1))', [lockName(duty)]);
}

/** @returns false where somebody else is deciding */
export async function tryLockReleases(manager: EntityManager, duty: Duty): Promise<boolean> {
  const locked = await row<{ mine: boolean }>(
    manager,
    'SELECT pg_try_advisory_xact_lock(hashtext($1)) AS mine',
    [lockName(duty)],
  );
  return locked!.mine;
}

const lockName = (duty: Duty) => `currawong jobs: releases of ${duty}`;

/** Whether something may be released that waits. A look at the index, without the lock. */
export async function dutiesWithWaiting(on: On): Promise<Duty[]> {
  const found = await row<Record<Duty, boolean>>(
    on,
    `SELECT ${DUTIES.map((duty) => `EXISTS (SELECT FROM work_items WHERE ${isWaiting(duty)} AND release_after <= now()) AS ${duty}`).join(', ')}`,
  );
  return DUTIES.filter((duty) => found![duty]);
}

/** What is released of a duty, and how much of it is one account's. */
export interface ReleasedWork extends Released {
  ofAccount: number;
}

/**
 * Work of a release before waiting was known does not say how long it is: it counts as a minute. Such a release does not
 * clear `release_after` when work is claimed.
 */
const RELEASED = `
  SELECT count(*)::int AS items, (count(*) FILTER (WHERE w.state = 'queued'))::int AS unclaimed,
         coalesce(sum(coalesce(w.audio_seconds, 60)) FILTER (WHERE w.state = 'queued'), 0)::float8 AS "unclaimedSeconds"`;

const FROM_RELEASED = (duty: Duty) => `
    FROM work_items w
   WHERE w.state IN ('queued', 'running') AND (w.state = 'running' OR w.release_after IS NULL) AND w.${STAGES_OF_DUTY[duty]}`;

export async function readReleased(on: On, duty: Duty): Promise<Released> {
  return (await row<Released>(on, RELEASED + FROM_RELEASED(duty)))!;
}

/** What one piece of an account needs to know to be sent at once. */
export interface Room extends ReleasedWork {
  somebodyWaits: boolean;
  concurrency: number | null;
  slots: number;
}

/** Everything about the room for one piece of an account's work, in one question. Under the lock of the releases. */
export async function readRoom(
  manager: EntityManager,
  duty: Duty,
  accountId: string,
  heardWithinSeconds: number,
): Promise<Room> {
  const room = await row<Room>(
    manager,
    `${RELEASED},
            (count(*) FILTER (WHERE w.account_id = $1))::int AS "ofAccount",
            EXISTS (SELECT FROM work_items WHERE ${isWaiting(duty)} AND release_after <= now()) AS "somebodyWaits",
            (SELECT concurrency FROM account_limits WHERE account_id = $1) AS concurrency,
            (SELECT coalesce(sum(slots), 0)::int FROM workers
              WHERE heard_at > now() - make_interval(secs => $2)) AS slots
       ${FROM_RELEASED(duty)}`,
    [accountId, heardWithinSeconds],
  );
  return room!;
}

/** For the test of their plans. */
export const releaseQuestions = (duty: Duty): string[] => [
  contendersQuestion(duty),
  RELEASED + FROM_RELEASED(duty),
];

/**
 * The accounts with waiting work, each with its first pieces. The accounts are found by steps from one to the next in the
 * index, so that 5,000 pieces of one cost no more than one.
 */
function contendersQuestion(duty: Duty): string {
  return `
  WITH RECURSIVE accounts AS (
    (SELECT account_id FROM work_items WHERE ${isWaiting(duty)} ORDER BY account_id LIMIT 1)
    UNION ALL
    SELECT (SELECT n.account_id FROM work_items n WHERE ${isWaiting(duty, 'n')} AND n.account_id > a.account_id
             ORDER BY n.account_id LIMIT 1)
      FROM accounts a WHERE a.account_id IS NOT NULL
  ), released AS (
    SELECT w.account_id, count(*)::int AS items ${FROM_RELEASED(duty)} GROUP BY w.account_id
  )
  SELECT a.account_id AS "accountId", coalesce(l.weight, 1)::float8 AS weight, l.concurrency,
         coalesce(r.items, 0) AS released, coalesce(t.due, 0)::float8 AS due, w.items
    FROM accounts a
   CROSS JOIN LATERAL (
     SELECT json_agg(json_build_object('id', i.id, 'seconds', i.audio_seconds,
                                       'createdAtMs', extract(epoch FROM i.created_at) * 1000)
                     ORDER BY i.created_at, i.id) AS items
       FROM (SELECT id, audio_seconds, created_at FROM work_items
              WHERE ${isWaiting(duty)} AND account_id = a.account_id AND release_after <= now()
              ORDER BY created_at, id LIMIT ${LOOK_AHEAD}) i) w
    LEFT JOIN account_limits l ON l.account_id = a.account_id
    LEFT JOIN released r ON r.account_id = a.account_id
    LEFT JOIN dispatch_turns t ON t.account_id = a.account_id AND t.duty = '${duty}'
   WHERE w.items IS NOT NULL`;
}

/** @param concurrency of accounts for which none is set */
export async function readContenders(
  manager: EntityManager,
  duty: Duty,
  concurrency: number | null,
): Promise<Contender[]> {
  const found = await rows<Contender>(manager, contendersQuestion(duty));
  return found.map((contender) => ({ ...contender, concurrency: contender.concurrency ?? concurrency }));
}

export async function readVirtualTime(on: On, duty: Duty): Promise<number> {
  const clock = await row<{ virtual_time: number }>(
    on,
    'SELECT virtual_time FROM dispatch_clocks WHERE duty = $1',
    [duty],
  );
  return clock?.virtual_time ?? 0;
}

/** Keeps when the accounts' next turns are due; forgets those that the clock has passed. */
export async function keepTurns(
  manager: EntityManager,
  duty: Duty,
  { due, virtualTime }: { due: ReadonlyMap<string, number>; virtualTime: number },
): Promise<void> {
  await manager.query(
    `INSERT INTO dispatch_clocks (duty, virtual_time) VALUES ($1, $2)
     ON CONFLICT (duty) DO UPDATE SET virtual_time = excluded.virtual_time`,
    [duty, virtualTime],
  );
  await manager.query(
    `INSERT INTO dispatch_turns (account_id, duty, due)
     SELECT account_id, $1, due FROM unnest($2::uuid[], $3::float8[]) AS t (account_id, due)
     ON CONFLICT (account_id, duty) DO UPDATE SET due = excluded.due`,
    [duty, [...due.keys()], [...due.values()]],
  );
}

/** Passes by what a round is changing: the next sweep finds it. Waiting for it, two could wait for each other. */
export async function forgetTurnsPast(on: On): Promise<void> {
  await on.query(
    `DELETE FROM dispatch_turns WHERE (account_id, duty) IN (
       SELECT t.account_id, t.duty FROM dispatch_turns t JOIN dispatch_clocks c ON c.duty = t.duty
        WHERE t.due <= c.virtual_time FOR UPDATE OF t SKIP LOCKED)`,
  );
}

/**
 * Has waiting work leave the queue: its message is to be sent in the same transaction. What somebody else is changing at the
 * moment, as when its job is cancelled, is passed by.
 */
export async function releaseWaiting(
  manager: EntityManager,
  ids: readonly string[],
  leaseSeconds: number,
): Promise<WorkRecord[]> {
  const released = await rows<WorkRecord>(
    manager,
    `UPDATE work_items SET release_after = NULL, lease_expires_at = now() + make_interval(secs => $2)
      WHERE id IN (SELECT id FROM work_items WHERE id = ANY($1) AND state = 'queued' AND release_after IS NOT NULL
                      FOR UPDATE SKIP LOCKED) RETURNING *`,
    [ids, leaseSeconds],
  );
  return released.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
}
