import { rows } from '@currawong/database';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { v7 as uuidv7 } from 'uuid';
import { JOBS_SCHEMA } from '../database';
import { TestDatabase } from '../test-database';

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

describe('what was added to tables that may be large', () => {
  it('is not checked against the rows of before, which would keep the table locked meanwhile', async () => {
    const unchecked = await rows<{ conname: string }>(
      database.source,
      `SELECT conname FROM pg_constraint
        WHERE contype = 'c' AND NOT convalidated AND conrelid IN ('jobs'::regclass, 'work_items'::regclass)
        ORDER BY conname`,
      [],
    );
    expect(unchecked.map(({ conname }) => conname)).toEqual([
      'jobs_analysis_check',
      'jobs_diarization_num_speakers_check',
      'rediarized_is_completed',
      'waiting_has_account',
      'work_items_stage_check',
    ]);
  });

  it('and their indexes are not built by the migrations that lock these tables until their end', () => {
    const inTransactions = JOBS_SCHEMA.migrations.filter(
      (migration) => 'sql' in migration && !/000[1-4]$/.test(migration.name),
    );
    expect(inTransactions.length).toBeGreaterThanOrEqual(5);
    for (const migration of inTransactions)
      expect(migration).not.toMatchObject({
        sql: expect.stringMatching(/CREATE (UNIQUE )?INDEX\s+\w+\s+ON (jobs|work_items)\b/) as string,
      });
  });

  it('is checked against every row that is written', async () => {
    const completed = { state: 'completed', voices_key: 'voices' } as const;
    await database.insertJob({ ...completed, diarization_item_id: uuidv7(), diarization_num_speakers: 10 });
    await expect(database.insertJob({ ...completed, diarization_num_speakers: 11 })).rejects.toThrow(
      'jobs_diarization_num_speakers_check',
    );
    await expect(database.insertJob({ ...completed, analysis: 'astrology' as 'sentiment' })).rejects.toThrow(
      'jobs_analysis_check',
    );
    await expect(database.insertJob({ state: 'processing', diarization_item_id: uuidv7() })).rejects.toThrow(
      'rediarized_is_completed',
    );
    const { id } = await database.insertJob(completed);
    await expect(
      database.source.query(
        "INSERT INTO work_items (id, job_id, stage, lease_expires_at) VALUES ($1, $2, 'x', now())",
        [...[uuidv7(), id]],
      ),
    ).rejects.toThrow('work_items_stage_check');
  });
});
