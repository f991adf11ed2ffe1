import { freshDatabase, type FreshDatabase } from '@currawong/testing';
import { TestDatabase } from '../storage/test-database';
import { keepAnnouncement, knownLanguages, slotsUp } from './engines';

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
beforeEach(() => database.source.query('TRUNCATE workers'));

const english = { engine: 'moonshine', version: '0.1.0', model: 'tiny-en', languages: ['en'] };
const many = { engine: 'faster-whisper', version: '1.2.1', model: 'small', languages: ['en', 'de', 'vi'] };

const announced = (worker: string, engine: typeof many, detects_language = false, slots = 1) =>
  keepAnnouncement(database.source, { worker, ...engine, detects_language, slots });
const silentFor = (worker: string, seconds: number) =>
  database.source.query('UPDATE workers SET heard_at = now() - make_interval(secs => $2) WHERE worker = $1', [
    worker,
    seconds,
  ]);

it('before any worker was heard of, nothing is known', async () => {
  expect(await knownLanguages(database.source)).toEqual({ languages: [], auto: false, engine: null });
});

it('what every engine knows is accepted, and auto where every one detects the language', async () => {
  await announced('one', many, true);
  const engine = { name: 'faster-whisper', version: '1.2.1', model: 'small' };
  expect(await knownLanguages(database.source)).toEqual({
    ...{ languages: ['de', 'en', 'vi'], auto: true, engine },
  });
  await announced('two', english);
  await silentFor('one', 30);
  expect(await knownLanguages(database.source)).toEqual({
    languages: ['en'],
    auto: false,
    engine: { name: 'moonshine', version: '0.1.0', model: 'tiny-en' },
  });
});

it('a worker that was silent for five minutes has no say; with all silent the last one still has', async () => {
  await announced('one', english);
  await announced('two', many, true);
  await silentFor('one', 301);
  expect(await knownLanguages(database.source)).toMatchObject({ languages: ['de', 'en', 'vi'], auto: true });
  await silentFor('two', 4_000);
  await silentFor('one', 8_000);
  expect(await knownLanguages(database.source)).toMatchObject({ languages: ['de', 'en', 'vi'], auto: true });
});

it('where the engines share no language, the newest one’s are accepted', async () => {
  await announced('one', english);
  await silentFor('one', 60);
  await announced('two', { ...many, languages: ['de'] });
  expect(await knownLanguages(database.source)).toMatchObject({ languages: ['de'] });
});

it('an announcement replaces the one of before; hands are those of workers heard of in the last moments', async () => {
  await announced('one', english, false, 2);
  await announced('one', many, false, 4);
  await announced('two', many, false, 3);
  await silentFor('two', 80);
  expect(await slotsUp(database.source)).toBe(4);
});

it('workers are forgotten a day after they were heard of last', async () => {
  await announced('old', english);
  await silentFor('old', 86_500);
  await announced('new', many);
  expect(await database.source.query('SELECT worker FROM workers')).toEqual([{ worker: 'new' }]);
});
