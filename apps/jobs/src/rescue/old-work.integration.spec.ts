import { rows } from '@currawong/database';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { v7 as uuidv7 } from 'uuid';
import { TestDatabase } from '../storage/test-database';
import { OldWork } from './old-work';

let fresh: FreshDatabase;
let database: TestDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
});
afterAll(async () => {
  await database?.close();
  await fresh?.drop();
});

async function ended(daysAgo: number, columns: Record<string, unknown> = {}): Promise<string> {
  const then = new Date(Date.now() - daysAgo * 86_400_000);
  const { id } = await database.insertJob({ state: 'completed', completed_at: then, ...columns });
  for (const [stage, state] of [
    ['prepare', 'done'],
    ['recognize', 'done'],
    ['assemble', 'dropped'],
  ])
    await database.source.query(
      `INSERT INTO work_items (id, job_id, stage, state, chunk, lease_expires_at, finished_at)
       VALUES ($1, $2, $3, $4, CASE WHEN $3 = 'recognize' THEN '{}'::jsonb END, $5, $5)`,
      [uuidv7(), id, stage, state, then],
    );
  return id;
}

it('the work of jobs that ended more than 30 days ago goes, all of it; the jobs and all other work stay', async () => {
  const old = await ended(31);
  const kept = [await ended(29), await ended(40, { voices_key: 'v', diarization_item_id: uuidv7() })];
  for (let n = 0; n < 250; n++) await ended(50);
  expect(await new OldWork(database.source).sweep()).toBe(251);
  const left = await rows<{ job_id: string; items: number }>(
    database.source,
    'SELECT job_id, count(*)::int AS items FROM work_items GROUP BY job_id ORDER BY job_id',
  );
  expect(left).toEqual(kept.sort().map((job_id) => ({ job_id, items: 3 })));
  expect(await rows(database.source, 'SELECT id FROM jobs WHERE id = $1', [old])).toHaveLength(1);
});
