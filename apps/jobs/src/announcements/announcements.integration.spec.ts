import { rows } from '@currawong/database';
import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import type { JobRecord } from '../storage/job-records';
import { TestDatabase } from '../storage/test-database';
import { AnnouncementsController } from './announcements.controller';
import { GivenUpAnnouncements } from './given-up';

let fresh: FreshDatabase;
let database: TestDatabase;
let controller: AnnouncementsController;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = await TestDatabase.open(fresh.url);
  controller = new AnnouncementsController(database.source);
});
afterAll(async () => {
  await database?.close();
  await fresh?.drop();
});
afterEach(() => database.source.query('DELETE FROM jobs'));

const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms);

function ended(values: Partial<JobRecord> = {}): Promise<JobRecord> {
  const completed_at = ago(60_000);
  return database.insertJob({ state: 'completed', completed_at, announce_at: ago(1_000), ...values });
}
async function listed(limit = 200): Promise<string[]> {
  const answer = await controller.list({ limit });
  if (!answer.ok) throw new Error(answer.refusal.code);
  return answer.value.jobs.map(({ job_id }) => job_id).sort();
}
const ids = (...jobs: JobRecord[]) => jobs.map(({ id }) => id).sort();

it('of the jobs that ended, those are listed whose announcement is not known to be kept', async () => {
  const completed = await ended({ duration_seconds: 89.6, webhook_url: 'https://example.com/' });
  const failed = await ended({ state: 'failed', error_message: 'why' });
  await ended({ announce_at: new Date(Date.now() + 10_000) });
  await ended({ announce_at: null });
  await database.insertJob({ state: 'processing', announce_at: ago(1_000) });
  const answer = await controller.list({ limit: 200 });
  const jobs = answer.ok ? answer.value.jobs : [];
  expect(jobs.map(({ job_id }) => job_id).sort()).toEqual(ids(completed, failed));
  expect(jobs.find(({ job_id }) => job_id === completed.id)).toMatchObject({
    status: 'completed',
    audio_duration_seconds: 90,
    error_message: null,
    webhook_url: 'https://example.com/',
  });
  expect(jobs.find(({ job_id }) => job_id === failed.id)).toMatchObject({
    status: 'failed',
    audio_duration_seconds: null,
    error_message: 'why',
  });
});

it('each is given to one asker at a time, and again where nobody confirms it', async () => {
  const jobs = await Promise.all(Array.from({ length: 20 }, () => ended()));
  const halves = await Promise.all([listed(10), listed(10)]);
  expect(halves.flat().sort()).toEqual(ids(...jobs));
  expect(await listed()).toEqual([]);
  await controller.confirm({ job_ids: halves[0] });
  await database.source.query("UPDATE jobs SET announce_at = announce_at - interval '31 seconds'");
  expect(await listed()).toEqual(halves[1]);
});

it('what ended days ago is not listed, and forgotten', async () => {
  const old = await ended({ completed_at: ago(73 * HOUR_MS), announce_at: ago(73 * HOUR_MS) });
  const recent = await ended();
  expect(await listed()).toEqual(ids(recent));
  await new GivenUpAnnouncements(database.source).sweep();
  const left = await rows<{ id: string }>(
    database.source,
    'SELECT id FROM jobs WHERE announce_at IS NOT NULL',
  );
  expect(left.map(({ id }) => id)).toEqual([recent.id]);
  expect(old.id).not.toBe(recent.id);
});
