import {
  codedEngine,
  codedRecording,
  compareWords,
  startPlatform,
  testServers,
  type CodedRecording,
  type SaidWord,
  type TestPlatform,
} from '@currawong/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newCustomer, type Client, type JobBody } from './client';

// Chunks of twenty seconds, two workers, an engine that hears every word or none: what is lost, repeated or in another order
// shows exactly. The full measurement, three hours long, is `npm run bench -- long-recording`.
const seconds = 240;
const CHUNK_SECONDS = 20;
let platform: TestPlatform;
let customer: Client;
let folder: string;
let recording: CodedRecording;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'currawong-long-'));
  const { ffmpeg: ffmpegPath, python: pythonPath } = testServers().tools;
  const path = join(folder, 'long.ogg');
  const encoding = ['-c:a', 'libopus', '-b:a', '24k'];
  recording = await codedRecording({ ffmpegPath, path, seconds, seed: 17, encoding });
  platform = await startPlatform({
    services: ['billing', 'jobs', 'worker', 'worker-2', 'gateway'],
    env: {
      ...codedEngine(folder, { pythonPath, realTimeFactor: 0.05 }),
      CHUNK_SECONDS: String(CHUNK_SECONDS),
      WORK_LEASE_SECONDS: '8',
      RETRY_DELAY_SECONDS: '0.2',
      SWEEP_INTERVAL_SECONDS: '0.2',
    },
  });
  customer = await newCustomer(platform, { creditAud: '10' });
}, 120_000);

afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Work {
  stage: string;
  chunk_index: number;
  state: string;
  worker: string;
  attempt: number;
  failures: number;
}

const workOf = async (id: string) => (await platform.admin<{ work: Work[] }>('job', 'show', id)).work;

async function heardWords(id: string): Promise<SaidWord[]> {
  const { body } = await customer.get(`/api/v1/jobs/${id}?words=true`);
  return (body as unknown as { segments: { words: SaidWord[] }[] }).segments.flatMap(({ words }) => words);
}

async function expectEveryWord(job: JobBody): Promise<void> {
  expect(job).toMatchObject({
    status: 'completed',
    audio_duration_seconds: seconds,
    transcription: recording.words.map(({ text }) => text).join(' '),
  });
  const { worstTimeSeconds, ...faults } = compareWords(recording.words, await heardWords(job.id));
  expect(faults).toEqual({ lost: [], doubled: [], strange: [], outOfOrder: 0 });
  expect(worstTimeSeconds).toBeLessThan(0.5);
}

it('every word comes once, in order and at its time, from chunks that all free workers recognized', async () => {
  const id = await customer.submit(recording.path);
  await expectEveryWord(await customer.finished(id, 60));
  const recognized = (await workOf(id)).filter(({ stage }) => stage === 'recognize');
  expect(recognized.length).toBeGreaterThanOrEqual(seconds / CHUNK_SECONDS);
  expect(recognized.every(({ state, failures }) => state === 'done' && failures === 0)).toBe(true);
  expect(new Set(recognized.map(({ worker }) => worker)).size).toBe(2);
}, 90_000);

it('a killed worker costs the chunk that it had at the time: the others are not done again', async () => {
  const id = await customer.submit(recording.path);
  // Cut by then: whoever is killed has a chunk, or nothing.
  await customer.until(id, (job) => job.progress > 0.4);
  platform.kill('worker-2', 'SIGKILL');
  const before = await workOf(id);
  await expectEveryWord(await customer.finished(id, 60));
  const after = await workOf(id);
  // Not by their attempts: a message that waited long is sent again under the next one.
  // Nor by failures of before: on a busy machine a lease may have run out by itself.
  const asBefore = (chunk: { chunk_index: number }) =>
    before.find((item) => item.stage === 'recognize' && item.chunk_index === chunk.chunk_index);
  const repeated = after.filter(
    (item) => item.stage === 'recognize' && item.failures > (asBefore(item)?.failures ?? 0),
  );
  expect(repeated.length).toBeLessThanOrEqual(1);
  for (const chunk of repeated) {
    const it = asBefore(chunk)!;
    // Or queued still: what a worker asks for may be given to it after its death.
    expect(it.state).not.toBe('done');
  }
  const doneBefore = before.filter(({ stage, state }) => stage === 'recognize' && state === 'done');
  expect(doneBefore.length).toBeGreaterThan(0);
  for (const { chunk_index, worker, attempt } of doneBefore)
    expect(after).toContainEqual(
      expect.objectContaining({ stage: 'recognize', chunk_index, worker, attempt }),
    );
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
}, 90_000);
