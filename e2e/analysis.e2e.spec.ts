import { startPlatform, type TestPlatform } from '@currawong/testing';
import {
  json,
  scriptedServer,
  type ScriptedServer,
} from '../apps/worker/src/recognition/http-recognizer-server';
import { newCustomer, type Client } from './client';
import { speech } from './recordings';

const PRAISE = ['this', 'is', 'wonderful', 'thank', 'you', 'very', 'much'];

let server: ScriptedServer;
let platform: TestPlatform;
let customer: Client;

// An engine of which it is known what it hears; the voice is real.
beforeAll(async () => {
  server = await scriptedServer({ models: { data: [{ id: 'whisper-test' }] } });
  server.behave((response, { fields }) => {
    const seconds = (fields.get('file')![0]!.length - 44) / 32_000;
    const each = seconds / PRAISE.length;
    const words = PRAISE.map((word, index) => ({ word, start: index * each, end: (index + 1) * each }));
    json(response, 200, { text: PRAISE.join(' '), words, segments: [] });
  });
  platform = await startPlatform({ env: { RECOGNIZER: 'http', ENGINE_URL: server.url } });
  customer = await newCustomer(platform, { creditAud: '10' });
}, 120_000);

afterAll(async () => {
  await platform?.stop();
  await server?.close();
});

interface Analysed {
  segments: { sentiment?: { label: string } | null; tone?: { pitch_hz: number | null } | null }[];
  speakers_summary:
    { speaker: string; words: number; sentiment: object | null; tone: object | null }[] | null;
  warnings: string[];
  cost_aud: number;
  audio_duration_seconds: number;
}

it('an analysis that is asked for is in the job, for AUD 0.03 a minute', async () => {
  const id = await customer.submit(speech(), { analysis: 'sentiment', num_speakers: '1', language: 'en' });
  const job = (await customer.finished(id, 90)) as unknown as Analysed;
  expect(job).toMatchObject({ status: 'completed', analysis: 'sentiment', warnings: [] });
  expect(job.cost_aud).toBeCloseTo((job.audio_duration_seconds / 60) * 0.03, 5);
  expect(job.segments.length).toBeGreaterThan(0);
  for (const { sentiment, tone } of job.segments) {
    expect(sentiment).toMatchObject({ label: 'positive' });
    expect(tone!.pitch_hz).toBeGreaterThan(60);
  }
  expect(job.speakers_summary).toMatchObject([
    {
      speaker: 'Speaker 1',
      sentiment: { label: 'positive' },
      tone: { words_per_minute: expect.any(Number) },
    },
  ]);
}, 120_000);

it('is left out in a language whose words are not known, and the job says so', async () => {
  const id = await customer.submit(speech(), { analysis: 'sentiment', language: 'de' });
  const job = (await customer.finished(id, 90)) as unknown as Analysed;
  expect(job.segments[0]).toMatchObject({ sentiment: null, tone: { energy_db: expect.any(Number) } });
  expect(job.warnings).toEqual([expect.stringContaining('English texts only')]);
}, 120_000);

it('without it nothing of it is there, for AUD 0.02 a minute', async () => {
  const job = (await customer.finished(
    await customer.submit(speech(), { language: 'en' }),
    90,
  )) as unknown as Analysed;
  expect(job.cost_aud).toBeCloseTo((job.audio_duration_seconds / 60) * 0.02, 5);
  expect(job.speakers_summary).toBeNull();
  expect(job.segments[0]).not.toHaveProperty('tone');
}, 120_000);
