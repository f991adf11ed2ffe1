import { accept, GetJob, refuse, type JobView, type RequestContract } from '@currawong/contracts';
import { ServiceUnavailable, type Requester } from '@currawong/messaging';
import { Logger } from '@nestjs/common';
import { Following, JobGone } from './following';

beforeAll(() => Logger.overrideLogger(false));

const OWNER = { account_id: '01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55', mode: 'live' } as const;
const idOf = (index: number) => `01993c1e-7d1f-7c0a-b1ce-${String(index).padStart(12, '0')}`;

/** What `jobs` knows, by id, and how many jobs each question was about. */
let known: Map<string, JobView>;
let questions: number[];
let isAway: boolean;
let following: Following;

const requester = {
  ask: ({ subject }: RequestContract, payload: { job_id: string; jobs: { job_id: string }[] }) => {
    if (isAway) return Promise.reject(new ServiceUnavailable(subject, 'disconnected'));
    if (subject === GetJob.subject) {
      const view = known.get(payload.job_id);
      return Promise.resolve(view ? accept(view) : refuse('job_not_found'));
    }
    questions.push(payload.jobs.length);
    const jobs = payload.jobs.flatMap(({ job_id }) => known.get(job_id) ?? []);
    return Promise.resolve(accept({ jobs }));
  },
} as unknown as Requester;

const put = (index: number, status: JobView['status'], progress = 0) =>
  known.set(idOf(index), { id: idOf(index), status, progress } as JobView);

beforeEach(() => {
  jest.useFakeTimers();
  [known, questions, isAway] = [new Map(), [], false];
  following = new Following(requester);
});
afterEach(() => {
  following.beforeApplicationShutdown();
  jest.useRealTimers();
});

const signal = () => new AbortController().signal;

it('one question a second is about all that are followed, at most 200 to a question', async () => {
  for (let index = 0; index < 450; index++) put(index, 'processing');
  const stop = new AbortController();
  const streams = Array.from({ length: 450 }, (_, index) =>
    following.follow(OWNER, idOf(index), stop.signal),
  );
  await Promise.all(streams.map((stream) => stream.next()));
  const waiting = streams.map((stream) => stream.next().catch(() => undefined));
  await jest.advanceTimersByTimeAsync(1_000);
  expect(questions).toEqual([200, 200, 50]);
  await Promise.all(waiting);
  stop.abort();
  await Promise.all(streams.map((stream) => stream.return()));
  await jest.advanceTimersByTimeAsync(5_000);
  expect(questions.length).toBeLessThanOrEqual(6);
});

it('what is heard is asked about at once, many notices in one question, and nothing that nobody follows', async () => {
  put(1, 'pending');
  const stream = following.follow(OWNER, idOf(1), signal());
  expect((await stream.next()).value).toMatchObject({ status: 'pending' });
  put(1, 'processing');
  for (let notice = 0; notice < 100; notice++) following.noteMoved(idOf(1));
  following.noteMoved(idOf(2));
  const next = stream.next();
  await jest.advanceTimersByTimeAsync(60);
  expect((await next).value).toMatchObject({ status: 'processing' });
  expect(questions).toEqual([1]);
});

it('notices of more jobs than one question may be about become several questions', async () => {
  const stop = new AbortController();
  for (let index = 0; index < 250; index++) put(index, 'processing');
  const streams = [...known.keys()].map((id) => following.follow(OWNER, id, stop.signal));
  await Promise.all(streams.map((stream) => stream.next()));
  for (const id of known.keys()) following.noteMoved(id);
  await jest.advanceTimersByTimeAsync(60);
  expect(questions).toEqual([200, 50]);
  stop.abort();
  await Promise.all(streams.map((stream) => stream.return()));
});

it('a notice costs the same whether one job is followed or thousands', async () => {
  const stop = new AbortController();
  for (let index = 0; index < 5_000; index++) put(index, 'processing');
  const streams = [...known.keys()].map((id) => following.follow(OWNER, id, stop.signal));
  await Promise.all(streams.map((stream) => stream.next()));
  jest.useRealTimers();
  const startedAt = process.cpuUsage();
  for (let notice = 0; notice < 20_000; notice++) following.noteMoved(idOf(1_000_000 + notice));
  const { user } = process.cpuUsage(startedAt);
  // To look through all that are followed at each took some seconds.
  expect(user / 1e6).toBeLessThan(0.5);
  stop.abort();
  await Promise.all(streams.map((stream) => stream.return()));
});

it('a job is one thing to its owner and another to somebody else, and both may follow it', async () => {
  put(1, 'processing');
  const other = { ...OWNER, account_id: idOf(99) };
  const [first, second] = [OWNER, OWNER].map((owner) => following.follow(owner, idOf(1), signal()));
  const third = following.follow(other, idOf(1), signal());
  await Promise.all([first!.next(), second!.next(), third.next()]);
  await first!.return();
  following.noteMoved(idOf(1));
  await jest.advanceTimersByTimeAsync(60);
  expect(questions).toEqual([2]);
  await Promise.all([second!.return(), third.return()]);
  following.noteMoved(idOf(1));
  await jest.advanceTimersByTimeAsync(2_000);
  expect(questions).toEqual([2]);
});

it('the end of a job ends the stream, and is what waiting for it gives', async () => {
  put(1, 'processing', 0.5);
  const ended = following.ended(OWNER, idOf(1), signal());
  await jest.advanceTimersByTimeAsync(1_000);
  put(1, 'completed', 1);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await ended).toMatchObject({ status: 'completed' });
  expect(await following.ended(OWNER, idOf(1), signal())).toMatchObject({ status: 'completed' });
});

it('a job that is not there is refused, and one that goes meanwhile is said to be gone', async () => {
  await expect(following.ended(OWNER, idOf(1), signal())).rejects.toMatchObject({ status: 404 });
  put(1, 'processing');
  const ended = following.ended(OWNER, idOf(1), signal()).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(10);
  known.clear();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await ended).toBeInstanceOf(JobGone);
});

it('an outage is waited for, but for half a minute only', async () => {
  put(1, 'processing');
  const short = following.follow(OWNER, idOf(1), signal());
  await short.next();
  isAway = true;
  const next = short.next();
  await jest.advanceTimersByTimeAsync(20_000);
  isAway = false;
  put(1, 'processing', 0.7);
  await jest.advanceTimersByTimeAsync(1_000);
  expect((await next).value).toMatchObject({ progress: 0.7 });
  isAway = true;
  const failed = (async () => {
    for (;;) if ((await short.next()).done) return undefined;
  })().catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(33_000);
  expect(await failed).toBeInstanceOf(ServiceUnavailable);
});

it('whoever leaves is told nothing more, and is not asked about', async () => {
  put(1, 'processing');
  const left = new AbortController();
  const ended = following.ended(OWNER, idOf(1), left.signal).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(10);
  left.abort(new Error('gone away'));
  expect(await ended).toEqual(new Error('gone away'));
  await jest.advanceTimersByTimeAsync(5_000);
  expect(questions.length).toBeLessThanOrEqual(1);
});
