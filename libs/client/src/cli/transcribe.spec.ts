import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Currawong } from '../client';
import {
  answer,
  startMisbehavingServer,
  type Behaviour,
  type MisbehavingServer,
} from '../misbehaving-server';
import { Screen } from './screen';
import { transcribe } from './transcribe';

const ID = '01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55';
const folder = mkdtempSync(join(tmpdir(), 'currawong-cli-'));
const file = join(folder, 'talk.wav');

let server: MisbehavingServer;
beforeAll(async () => {
  writeFileSync(file, 'sound');
  server = await startMisbehavingServer();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Waits for the job and presses Ctrl-C twice while it is worked on. @returns what was said, and the requests after it */
async function cancelled(...answers: Behaviour[]): Promise<{ said: string; asked: (string | undefined)[] }> {
  let press = (): void => undefined;
  const interruptTwice: Behaviour = async (request, response) => {
    await answer(200, { id: ID, status: 'processing', progress: 0.5 })(request, response);
    press();
    press();
  };
  server.behave(answer(200, { job_id: ID, status: 'processing' }), interruptTwice, ...answers);
  let said = '';
  const code = await transcribe(
    {
      ...{ name: 'transcribe', file, wait: true, format: 'txt', output: undefined, words: false },
      ...{ language: undefined, speakers: undefined, prompt: undefined },
      ...{ analysis: undefined, webhookUrl: undefined },
    },
    {
      client: new Currawong({ apiKey: 'sk_test_key', baseUrl: server.url }),
      screen: new Screen({ write: (text) => (said += text) }),
      print: () => undefined,
      interruption: { next: (action) => (press = action) },
    },
  );
  expect(code).toBe(130);
  return { said, asked: server.requests.slice(2).map(({ method }) => method) };
}

describe('a second Ctrl-C', () => {
  it('cancels a job that has not ended', async () => {
    const { said, asked } = await cancelled(
      answer(200, { id: ID, status: 'processing' }),
      answer(200, { job_id: ID, cancelled_at: '2026-11-21T10:00:00.000Z' }),
    );
    expect(said).toContain(`Cancelled job ${ID}.`);
    expect(asked).toEqual(['GET', 'DELETE']);
  });

  it.each(['completed', 'failed'])('leaves a job alone that has %s meanwhile', async (status) => {
    const { said, asked } = await cancelled(answer(200, { id: ID, status }));
    expect(said).toContain(`Job ${ID} ended before it could be cancelled, and is kept: currawong job ${ID}`);
    expect(asked).toEqual(['GET']);
  });

  it('does not say that a job was cancelled which ended by itself', async () => {
    const { said } = await cancelled(
      answer(200, { id: ID, status: 'processing' }),
      answer(200, { job_id: ID, cancelled_at: null }),
    );
    expect(said).toContain(`Job ${ID} ended before it could be cancelled, and was deleted.`);
  });

  it('says so where the job is not there any more', async () => {
    const { said } = await cancelled(answer(404, { detail: 'Job not found' }));
    expect(said).toContain(`Job ${ID} is not there any more.`);
  });
});
