import { objectKeys } from '@currawong/contracts';
import { createObjectStore, type ObjectStore } from '@currawong/object-store';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { join } from 'node:path';
import { Client as Postgres } from 'pg';
import { newCustomer, type Answer, type Client, type JobBody } from './client';
import { converted, wav } from './recordings';
import { ScriptedWorker } from './scripted-worker';

// A completed job whose speakers are told apart again: the same words, as another number of voices, for nothing.
let platform: TestPlatform;
let customer: Client & { accountId: string };
let store: ObjectStore;
let postgres: Postgres;
let id: string;
let first: JobBody;

interface Word {
  text: string;
  start: number;
  end: number;
}
interface Segment {
  speaker: string;
  words: Word[];
}

beforeAll(async () => {
  platform = await startPlatform({
    env: {
      RECOGNIZER: 'pocketsphinx',
      WORK_LEASE_SECONDS: '6',
      RETRY_DELAY_SECONDS: '0.2',
      SWEEP_INTERVAL_SECONDS: '0.2',
    },
  });
  store = createObjectStore({ ...platform.s3 });
  postgres = new Postgres({ connectionString: platform.databaseUrl });
  await postgres.connect();
  customer = await newCustomer(platform, { creditAud: '10' });
  id = await customer.submit(join(__dirname, '..', 'samples', 'two-voices.ogg'), { num_speakers: '2' });
  first = await customer.finished(id, 120);
}, 240_000);

afterAll(async () => {
  store?.close();
  await postgres?.end();
  await platform?.stop();
});

const ask = async (num_speakers: unknown, jobId = id, client = customer): Promise<Answer> => {
  const response = await fetch(`${platform.baseUrl}/api/v1/jobs/${jobId}/diarization`, {
    method: 'POST',
    headers: { 'X-API-Key': client.apiKey ?? '', 'Content-Type': 'application/json' },
    body: JSON.stringify({ num_speakers }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body };
};
const toldApart = (jobId = id) => customer.until(jobId, (job) => job['diarization_pending'] === false, 60);
const labelsOf = (job: JobBody) => [...new Set((job['segments'] as Segment[]).map(({ speaker }) => speaker))];
const wordsOf = async (jobId = id) => {
  const { body } = await customer.get(`/api/v1/jobs/${jobId}?words=true`);
  return (body['segments'] as Segment[]).flatMap(({ words }) => words);
};
const voicesOf = async (jobId: string) => {
  const keys: string[] = [];
  for await (const { key } of store.list(objectKeys.resultPrefix(jobId))) keys.push(key);
  return keys.filter((key) => key.endsWith('.voices'));
};

it('the job is as it should be to begin with', () => {
  expect(first).toMatchObject({
    ...{ status: 'completed', num_speakers: 2, diarization_pending: false, diarization_error: null },
    engine: { name: 'pocketsphinx' },
    diarizer: { name: expect.any(String) as string },
  });
  expect(labelsOf(first)).toEqual(['Speaker 1', 'Speaker 2']);
});

it('as 1, 2 and 3 speakers it has so many labels; words, charge and the end of the job are as they were', async () => {
  const words = await wordsOf();
  const credit = (await customer.get('/api/v1/credit')).body;
  for (const num_speakers of [1, 2, 3]) {
    const asked = await ask(num_speakers);
    expect(asked).toMatchObject({
      status: 202,
      body: { id, status: 'completed', diarization_pending: true },
    });
    // Until the new result is there the old one is shown.
    expect(asked.body['transcription']).toBe(first.transcription);
    const job = await toldApart();
    expect(labelsOf(job)).toEqual(Array.from({ length: num_speakers }, (_, index) => `Speaker ${index + 1}`));
    expect(job).toMatchObject({ num_speakers, status: 'completed', diarization_error: null });
    expect(job.completed_at).toBe(first.completed_at);
    expect(job.transcription).toBe(first.transcription);
    expect(job.diarization!.split('\n').every((line) => /^\[Speaker [123]\]: ./.test(line))).toBe(true);
    expect(await wordsOf()).toEqual(words);
  }
  expect((await customer.get('/api/v1/credit')).body).toEqual(credit);
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
}, 120_000);

it('as a number that is to be found it is as if none had been sent', async () => {
  expect((await ask(null)).status).toBe(202);
  const job = await toldApart();
  expect(job['num_speakers']).toBeNull();
  expect(labelsOf(job).length).toBeLessThanOrEqual(2);
}, 60_000);

it('names are forgotten where the speakers are others, and kept where they are the same', async () => {
  const name = (names: object) =>
    fetch(`${platform.baseUrl}/api/v1/jobs/${id}`, {
      method: 'PATCH',
      headers: { 'X-API-Key': customer.apiKey!, 'Content-Type': 'application/json' },
      body: JSON.stringify({ speaker_names: names }),
    });
  await ask(2);
  await toldApart();
  await name({ 'Speaker 1': 'Katie' });
  await ask(2);
  expect((await toldApart())['speaker_names']).toEqual({ 'Speaker 1': 'Katie' });
  await ask(1);
  expect((await toldApart())['speaker_names']).toEqual({});
}, 60_000);

it('of twenty that ask at once one is taken and the others are 409', async () => {
  // The work must not be done before the last of them has asked.
  await platform.halt('worker');
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(2))).finally(() =>
    platform.resume('worker'),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array<number>(19).fill(409)]);
  const refused = answers.find(({ status }) => status === 409)!;
  expect(refused.body['detail']).toMatch(/^The speakers of this job are being told apart already\./);
  expect(labelsOf(await toldApart())).toHaveLength(2);
}, 120_000);

it('a worker killed in the middle costs an attempt and nothing else', async () => {
  platform.kill('worker', 'SIGKILL');
  expect((await ask(3)).status).toBe(202);
  // Whoever has it now dies as well, wherever it is by then.
  await platform.waitReady('worker');
  platform.kill('worker', 'SIGKILL');
  const job = await toldApart();
  expect(labelsOf(job)).toHaveLength(3);
  expect(job.transcription).toBe(first.transcription);
}, 120_000);

it.each([0, 11, 1.5, '2', 'two', undefined])('%p speakers are 400', async (wanted) => {
  const answer = await ask(wanted);
  expect(answer).toMatchObject({
    status: 400,
    body: { detail: 'num_speakers: must be a whole number from 1 to 10, or null' },
  });
});

it('of another account, and of an unknown job, it is 404', async () => {
  const stranger = await newCustomer(platform);
  for (const answer of [
    await ask(2, id, stranger),
    await ask(2, '01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55'),
    await ask(2, 'x'),
  ])
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Job not found' } });
});

it('a job that has not completed is 409', async () => {
  await platform.halt('worker');
  try {
    const waiting = await customer.submit({ name: 'a.wav', bytes: wav(2) });
    expect(await ask(2, waiting)).toMatchObject({
      status: 409,
      body: { detail: 'There is no transcript: the job has not completed.' },
    });
  } finally {
    await platform.resume('worker');
  }
}, 60_000);

it('voices that no diarizer here has written are refused in words that say what to do', async () => {
  const [key] = await voicesOf(id);
  const voices = await store.getBuffer(key!);
  await store.putBuffer(key!, Buffer.from('something else'), { contentType: 'application/octet-stream' });
  expect((await ask(2)).status).toBe(202);
  expect(await toldApart()).toMatchObject({
    ...{ status: 'completed', transcription: first.transcription },
    diarization_error: 'The speakers of this recording cannot be told apart again; send the recording again.',
  });
  await store.putBuffer(key!, voices, { contentType: 'application/octet-stream' });
}, 60_000);

it('voices are erased with the recording: what was said stays, and it is 410', async () => {
  const erasable = await customer.submit(
    converted(join(__dirname, '..', 'samples', 'two-voices.ogg'), 'wav', '-t', '5', '-ac', '1'),
  );
  const done = await customer.finished(erasable, 60);
  expect(await voicesOf(erasable)).toHaveLength(1);
  await postgres.query("UPDATE jobs.jobs SET audio_expires_at = now() - interval '1 s' WHERE id = $1", [
    erasable,
  ]);
  await customer.until(erasable, (job) => job['audio_available'] === false, 30);
  expect(await voicesOf(erasable)).toEqual([]);
  expect(await ask(2, erasable)).toMatchObject({
    status: 410,
    body: {
      detail:
        'What is needed to tell the speakers apart again is not kept any more. Send the recording again.',
    },
  });
  expect((await customer.job(erasable)).transcription).toBe(done.transcription);
}, 120_000);

it('results that no longer count are cleared away, the voices are kept, and the books add up', async () => {
  await ask(2);
  await toldApart();
  await postgres.query("UPDATE jobs.jobs SET changed_at = now() - interval '11 minutes' WHERE id = $1", [id]);
  await customer.until(id, () => true);
  const deadline = Date.now() + 20_000;
  const left = async () => {
    const keys: string[] = [];
    for await (const { key } of store.list(objectKeys.resultPrefix(id))) keys.push(key);
    return keys;
  };
  while ((await left()).length > 2 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await left()).map((key) => key.split('.').pop()).sort()).toEqual(['json', 'voices']);
  expect((await customer.job(id)).transcription).toBe(first.transcription);
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [] });
}, 60_000);

describe('with a worker that does what the test says', () => {
  let worker: ScriptedWorker;
  beforeAll(async () => {
    await platform.halt('worker');
    worker = await ScriptedWorker.join(platform);
  }, 60_000);
  afterAll(() => worker?.leave());

  it('after three attempts that broke the old result stays, and an error says so', async () => {
    const before = await customer.job(id);
    expect((await ask(4)).status).toBe(202);
    for (let attempt = 0; attempt < 3; attempt++) {
      const work = await worker.beginRediarizing(id);
      await worker.report(work, { kind: 'broke', reason: 'no reason at all' });
    }
    const job = await toldApart();
    expect(job['diarization_error']).toBe(
      'The speakers could not be told apart again after several attempts. The result is as it was; try again later.',
    );
    expect(job).toMatchObject({ status: 'completed', num_speakers: before['num_speakers'] });
    expect(job['segments']).toEqual(before['segments']);
  }, 60_000);

  it('a late report of an attempt that was lost changes nothing', async () => {
    expect((await ask(2)).status).toBe(202);
    const late = await worker.beginRediarizing(id);
    const again = await worker.beginRediarizing(id, 20);
    expect(again.attempt).toBeGreaterThan(late.attempt);
    const result_key = objectKeys.result(id, late.item_id, late.attempt);
    await worker.report(late, { kind: 'rediarized', result_key, speakers_changed: true });
    await worker.afterwards();
    expect(await customer.job(id)).toMatchObject({ diarization_pending: true, status: 'completed' });
    const detail = 'They cannot.';
    await worker.report(again, { kind: 'refused', code: 'voices_unusable', detail });
    expect(await toldApart()).toMatchObject({ diarization_error: detail });
  }, 60_000);
});
