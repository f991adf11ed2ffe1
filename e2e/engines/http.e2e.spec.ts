import { startPlatform, type TestPlatform } from '@currawong/testing';
import { json, scriptedServer, spoken } from '../../apps/worker/src/recognition/http-recognizer-server';
import {
  describeWithWhisperServer,
  startWhisperServer,
} from '../../apps/worker/src/recognition/whisper-server';
import { newCustomer } from '../client';
import { speech } from '../recordings';

interface Shown {
  work: { failures: number; attempt: number; state: string }[];
}

const platformWith = (url: string, env: Record<string, string> = {}): Promise<TestPlatform> =>
  startPlatform({ env: { RECOGNIZER: 'http', ENGINE_URL: url, ...env } });

describe('a speech server over HTTP', () => {
  it('that is down costs no attempt: the work waits, and is done when it is back', async () => {
    const server = await scriptedServer({ models: { data: [{ id: 'whisper-test' }] } });
    let isDown = true;
    server.behave((response) =>
      isDown ? json(response, 503, {}) : json(response, 200, spoken('hello', 'there')),
    );
    const platform = await platformWith(server.url, { ENGINE_API_KEY: 'sk-secret-of-the-engine' });
    try {
      const customer = await newCustomer(platform, { creditAud: '10' });
      const id = await customer.submit(speech(), { num_speakers: '1' });
      const givenBack = () => platform.logs('worker').includes('is given back: EngineUnavailable');
      const until = Date.now() + 60_000;
      while (!givenBack() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 200));
      expect(givenBack()).toBe(true);
      isDown = false;
      const job = await customer.finished(id, 90);
      expect(job).toMatchObject({ status: 'completed', engine: { name: 'http', model: 'whisper-test' } });
      expect(job.transcription).toMatch(/^hello there/);
      const { work } = await platform.admin<Shown>('job', 'show', id);
      expect(work.map(({ failures }) => failures)).toEqual(work.map(() => 0));
      expect(platform.logs('worker')).not.toContain('sk-secret-of-the-engine');
    } finally {
      await platform.stop();
      await server.close();
    }
  }, 240_000);
});

describeWithWhisperServer('whisper.cpp’s own server, with random weights', () => {
  it('recognizes a recording through the API: nonsense, with a time for each word', async () => {
    const server = await startWhisperServer();
    let platform: TestPlatform | undefined;
    try {
      platform = await platformWith(server.url, { ENGINE_CONCURRENCY: '1' });
      const customer = await newCustomer(platform, { creditAud: '10' });
      const id = await customer.submit(speech(), { num_speakers: '1', language: 'en' });
      const job = await customer.finished(id, 200);
      expect(job).toMatchObject({
        status: 'completed',
        error_message: null,
        engine: { name: 'http', version: 'whisper.cpp', model: null },
      });
      expect(job.transcription!.split(' ').length).toBeGreaterThan(5);
      const { body } = await customer.get(`/api/v1/jobs/${id}?words=true`);
      const words = (body['segments'] as { words: { start: number; end: number }[] }[]).flatMap(
        (segment) => segment.words,
      );
      expect(words.every(({ start, end }) => start >= 0 && end >= start)).toBe(true);
    } finally {
      await platform?.stop();
      await server.stop();
    }
  }, 300_000);
});
