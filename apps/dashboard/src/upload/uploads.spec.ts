import type { SubmissionReceipt } from '@currawong/contracts';
import type { Answer } from '../api/client';
import { createUploads, type Uploads } from './uploads';

const OPTIONS = { language: 'en', speakers: '', analysis: false, prompt: '', mode: 'live' } as const;

/** Sends that the test ends when it likes. */
class Line {
  readonly sending: {
    name: string;
    key: string;
    end: (answer: Answer<SubmissionReceipt>) => void;
    progress: (bytes: number) => void;
    signal: AbortSignal;
  }[] = [];
  readonly accepted: string[] = [];
  readonly refused: string[] = [];
  readonly uploads: Uploads = createUploads({
    send: (file, _options, key, progress, signal) =>
      new Promise((end) => void this.sending.push({ name: file.name, key, end, progress, signal })),
    wrongWith: (file) => (file.name.endsWith('.txt') ? 'Not a recording.' : undefined),
    onAccepted: (file) => void this.accepted.push(file.name),
    onRefused: (file, detail) => void this.refused.push(`${file.name}: ${detail}`),
  });

  names = () => this.sending.map(({ name }) => name);
  states = () => this.uploads.queue().uploads.map(({ file, state }) => `${file.name} ${state}`);

  async end(name: string, answer: Answer<SubmissionReceipt>): Promise<void> {
    const index = this.sending.findIndex((one) => one.name === name);
    this.sending.splice(index, 1)[0]!.end(answer);
    await Promise.resolve();
    await Promise.resolve();
  }
}

const files = (...names: string[]) => names.map((name) => new File([name], name));
const accepted: Answer<SubmissionReceipt> = {
  ok: true,
  value: { job_id: '0193', status: 'processing', message: 'ok' },
};
const problem = (status: number, retryAfterSeconds: number | null = null): Answer<never> => ({
  ok: false,
  problem: { status, detail: `Problem ${status}.`, retryAfterSeconds },
});

let line: Line;
beforeEach(() => {
  jest.useFakeTimers();
  line = new Line();
});
afterEach(() => {
  line.uploads.close();
  jest.useRealTimers();
});

it('recordings are sent two at a time, in the order in which they were added', async () => {
  line.uploads.add(files('a', 'b', 'c', 'd'), OPTIONS);
  expect(line.names()).toEqual(['a', 'b']);
  await line.end('b', accepted);
  expect(line.names()).toEqual(['a', 'c']);
  await line.end('a', accepted);
  await line.end('c', accepted);
  await line.end('d', accepted);
  expect(line.accepted).toEqual(['b', 'a', 'c', 'd']);
  expect(line.uploads.queue().uploads.map(({ jobId }) => jobId)).toEqual(['0193', '0193', '0193', '0193']);
});

it('what is plainly wrong is kept beside its file and never sent', () => {
  line.uploads.add(files('notes.txt', 'a'), OPTIONS);
  expect(line.names()).toEqual(['a']);
  expect(line.states()).toEqual(['notes.txt refused', 'a sending']);
  expect(line.refused).toEqual(['notes.txt: Not a recording.']);
});

it('one that is refused stays with its reason while the others go on', async () => {
  line.uploads.add(files('a', 'b', 'c'), OPTIONS);
  await line.end('a', problem(402));
  expect(line.states()).toEqual(['a refused', 'b sending', 'c sending']);
  expect(line.uploads.queue().uploads[0]!.problem?.detail).toBe('Problem 402.');
  line.uploads.tryAgain(line.uploads.queue().uploads[0]!.id);
  await line.end('b', accepted);
  expect(line.names()).toEqual(['c', 'a']);
});

it('what is tried again is sent under its key of before, and every recording under one of its own', async () => {
  line.uploads.add([...files('a'), ...files('a')], OPTIONS);
  const [first, second] = line.sending.map(({ key }) => key);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(second).not.toBe(first);
  // The answer was lost on the way.
  await line.end('a', problem(0));
  line.uploads.tryAgain(line.uploads.queue().uploads[0]!.id);
  expect(line.sending.map(({ key }) => key)).toEqual([second, first]);
});

it('after a rate limit nothing is begun before the time that the API named, then everything goes on', async () => {
  line.uploads.add(files('a', 'b', 'c'), OPTIONS);
  await line.end('a', problem(429, 30));
  expect(line.states()).toEqual(['a waiting', 'b sending', 'c waiting']);
  await line.end('b', accepted);
  jest.advanceTimersByTime(29_000);
  expect(line.names()).toEqual([]);
  jest.advanceTimersByTime(1_500);
  expect(line.names()).toEqual(['a', 'c']);
  expect(line.refused).toEqual([]);
});

it('the later of two rests counts', async () => {
  line.uploads.add(files('a', 'b'), OPTIONS);
  await line.end('a', problem(429, 60));
  await line.end('b', problem(429, 5));
  jest.advanceTimersByTime(59_000);
  expect(line.names()).toEqual([]);
  jest.advanceTimersByTime(1_500);
  expect(line.names()).toEqual(['a', 'b']);
});

it('cancelling ends the upload and lets the next one begin', async () => {
  line.uploads.add(files('a', 'b', 'c'), OPTIONS);
  const [first] = line.sending;
  line.uploads.putAway(line.uploads.queue().uploads[0]!.id);
  expect(first!.signal.aborted).toBe(true);
  expect(line.states()).toEqual(['b sending', 'c sending']);
  // What an aborted request still says is about nothing any more.
  await line.end('a', problem(0));
  expect(line.refused).toEqual([]);
  expect(line.states()).toEqual(['b sending', 'c sending']);
});

it('progress is that of its own file', () => {
  line.uploads.add(files('a', 'b'), OPTIONS);
  line.sending[1]!.progress(77);
  expect(line.uploads.queue().uploads.map(({ sentBytes }) => sentBytes)).toEqual([0, 77]);
});

it('clearing takes away what has ended and nothing else', async () => {
  line.uploads.add(files('notes.txt', 'a', 'b'), OPTIONS);
  await line.end('a', accepted);
  line.uploads.clear();
  expect(line.states()).toEqual(['b sending']);
});

it('closing ends everything', () => {
  line.uploads.add(files('a', 'b', 'c'), OPTIONS);
  const signals = line.sending.map(({ signal }) => signal);
  line.uploads.close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect(line.states()).toEqual([]);
});
