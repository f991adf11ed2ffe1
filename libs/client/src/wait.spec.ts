import type { ServerResponse } from 'node:http';
import { Currawong } from './client';
import { JobFailedError, NotFoundError } from './errors';
import { answer, startMisbehavingServer, type MisbehavingServer } from './misbehaving-server';

const ID = '01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55';
const job = (status: string, progress: number) => ({ id: ID, status, progress, error_message: null });

let server: MisbehavingServer;
let current: ReturnType<typeof job>;
/** What the stream of events does; undefined where there is none. */
let stream: ((response: ServerResponse) => void) | undefined;
let asked: string[];

beforeAll(async () => (server = await startMisbehavingServer()));
afterAll(() => server.close());
beforeEach(() => {
  current = job('pending', 0);
  stream = undefined;
  asked = [];
  server.behave((request, response) => {
    const isStream = request.url!.endsWith('/events');
    asked.push(isStream ? 'events' : 'job');
    if (!isStream) return answer(200, current)(request, response);
    if (!stream) return answer(404, { detail: 'Not found' })(request, response);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    stream(response);
  });
});

const client = () => new Currawong({ apiKey: 'key', baseUrl: server.url, maxRetries: 0 });
const event = (one: object) => `event: job\ndata: ${JSON.stringify(one)}\n\n`;

it('follows the events, and asks for the job itself at the end', async () => {
  stream = (response) => {
    response.write(': well\n\n' + event(job('processing', 0.5)));
    setTimeout(() => {
      current = job('completed', 1);
      response.end(event(current));
    }, 50);
  };
  const heard: number[] = [];
  const ended = await client().wait(ID, { onProgress: ({ progress }) => heard.push(progress) });
  expect(ended.status).toBe('completed');
  expect(heard).toEqual([0, 0.5, 1]);
  expect(asked).toEqual(['job', 'events', 'job']);
});

it('asks again and again where there are no events', async () => {
  setTimeout(() => (current = job('failed', 0.2)), 1_200);
  expect((await client().wait(ID)).status).toBe('failed');
  expect(asked.filter((one) => one === 'events')).toHaveLength(1);
  expect(asked.filter((one) => one === 'job').length).toBeGreaterThan(2);
});

it.each<[string, (response: ServerResponse) => void]>([
  ['break off', (response) => void response.write(event(job('processing', 0.1)), () => response.destroy())],
  ['end without a word', (response) => void response.end()],
  ['say what nobody understands', (response) => void response.end('data: <html>\n\ndata: null\n\n')],
])('goes on when the events %s', async (_, misbehaviour) => {
  stream = misbehaviour;
  setTimeout(() => (current = job('completed', 1)), 700);
  expect((await client().wait(ID)).status).toBe('completed');
});

it('ends at once when it is aborted, and for a job that is not there', async () => {
  stream = () => undefined;
  const reason = new Error('enough');
  const stop = new AbortController();
  setTimeout(() => stop.abort(reason), 100);
  await expect(client().wait(ID, stop)).rejects.toBe(reason);
  server.behave(answer(404, { detail: 'Job not found' }));
  await expect(client().wait(ID)).rejects.toThrow(NotFoundError);
});

it('a transcript that cannot be had is an error with the job and its reason', async () => {
  const failed = { ...job('failed', 0), error_message: 'No audio.' };
  server.behave(answer(200, { job_id: ID }), answer(200, failed));
  const refused = client().transcript(new File(['a'], 'a.wav'));
  await expect(refused).rejects.toThrow(JobFailedError);
  await expect(refused).rejects.toMatchObject({ message: 'No audio.', job: failed });
});
