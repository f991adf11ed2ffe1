import {
  accept,
  DiscardJob,
  KeepUpload,
  OpenUpload,
  refuse,
  SubmitJob,
  type RequestContract,
  type Result,
} from '@currawong/contracts';
import { RemoteBreakdown, ServiceUnavailable, type Requester } from '@currawong/messaging';
import type { ObjectStore } from '@currawong/object-store';
import { Logger } from '@nestjs/common';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoppedUploads } from './stopped-uploads';
import { Submissions, type Upload } from './submissions';

// Time and memory are the machine's as well: what is measured in one bad moment is measured again, twice at the most.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

type Answer = (options: { deadlineMs?: number }) => Promise<Result<unknown>>;

/** What `jobs` answers, by subject, and what it was asked. */
let answers: Record<string, Answer>;
let asked: { subject: string; payload: unknown }[];
const askedFor = ({ subject }: RequestContract) => asked.filter((one) => one.subject === subject);

const requester = {
  ask: ({ subject }: RequestContract, payload: unknown, options: { deadlineMs?: number } = {}) => {
    asked.push({ subject, payload });
    return answers[subject]!(options);
  },
} as unknown as Requester;
/** Stores until it is stopped, or for as long as `storingMs`. */
let storingMs: number;
const objects = {
  put: (_key: string, _body: Readable, { signal }: { signal: AbortSignal }) =>
    sleep(storingMs, 'stored', { signal }).catch(() => Promise.reject(signal.reason as Error)),
} as unknown as ObjectStore;

beforeAll(() => Logger.overrideLogger(false));
beforeEach(() => {
  asked = [];
  storingMs = 1_000;
  const well = () => Promise.resolve(accept({}));
  answers = {
    [OpenUpload.subject]: () => Promise.resolve(accept({ source_key: 'audio/1', lease_seconds: 0.3 })),
    [SubmitJob.subject]: well,
    [DiscardJob.subject]: well,
    [KeepUpload.subject]: well,
  };
});

const stopped = new StoppedUploads();
const open = (): Promise<Upload> =>
  new Submissions(requester, objects, stopped).open(
    { account_id: '01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55', mode: 'live' },
    null,
    'a.wav',
  );
const openedId = () => (askedFor(OpenUpload).at(-1)!.payload as { job_id: string }).job_id;
const submission = { size_bytes: 10, language: 'en', num_speakers: null, prompt: '' };

it.each([
  ['its answer was late', new ServiceUnavailable('jobs.submit', 'deadline')],
  ['the connection was lost', new ServiceUnavailable('jobs.submit', 'disconnected')],
  ['jobs is being restarted', new ServiceUnavailable('jobs.submit', 'no_responders')],
  ['jobs broke down', new RemoteBreakdown('jobs.submit')],
])('a submission is asked for again, with the same words, when %s', async (_, failure) => {
  answers[SubmitJob.subject] = () =>
    askedFor(SubmitJob).length < 3 ? Promise.reject(failure) : Promise.resolve(accept({ job_id: 'it' }));
  const upload = await open();
  expect(await upload.submit(submission)).toEqual(accept({ job_id: 'it' }));
  expect(new Set(askedFor(SubmitJob).map(({ payload }) => JSON.stringify(payload))).size).toBe(1);
});

it.each([
  ['its answer was late', new ServiceUnavailable('jobs.open_upload', 'deadline')],
  ['jobs broke down', new RemoteBreakdown('jobs.open_upload')],
])('an upload is opened by the same id once more when %s', async (_, failure) => {
  const well = answers[OpenUpload.subject]!;
  answers[OpenUpload.subject] = (options) =>
    askedFor(OpenUpload).length < 3 ? Promise.reject(failure) : well(options);
  await open();
  expect(askedFor(OpenUpload)).toHaveLength(3);
  expect(new Set(askedFor(OpenUpload).map(({ payload }) => JSON.stringify(payload))).size).toBe(1);
});

it('a client waits for jobs for less than a minute, however late it opens, and however it then fails', async () => {
  const late = ({ deadlineMs = 0 }: { deadlineMs?: number }) =>
    sleep(deadlineMs).then(() => Promise.reject(new ServiceUnavailable('jobs', 'deadline')));
  const well = answers[OpenUpload.subject]!;
  answers[OpenUpload.subject] = (options) =>
    askedFor(OpenUpload).length < 2 ? late(options) : well(options);
  answers[SubmitJob.subject] = late;
  const startedAtMs = performance.now();
  const upload = await open();
  await expect(upload.submit(submission)).rejects.toThrow(ServiceUnavailable);
  const waitedMs = performance.now() - startedAtMs;
  expect(waitedMs).toBeGreaterThan(40_000);
  expect(waitedMs).toBeLessThan(58_000);
});

it('where nobody listens an upload is refused at once', async () => {
  answers[OpenUpload.subject] = () =>
    Promise.reject(new ServiceUnavailable('jobs.open_upload', 'no_responders'));
  await expect(open()).rejects.toThrow(ServiceUnavailable);
  expect(askedFor(OpenUpload)).toHaveLength(1);
});

it('an upload that jobs cannot open is given up after 15 s', async () => {
  const failure = new RemoteBreakdown('jobs.open_upload');
  answers[OpenUpload.subject] = () => Promise.reject(failure);
  const startedAtMs = performance.now();
  await expect(open()).rejects.toBe(failure);
  expect(performance.now() - startedAtMs).toBeGreaterThan(14_000);
  expect(performance.now() - startedAtMs).toBeLessThan(20_000);
});

it('a submission that nobody answers is given up after 20 s', async () => {
  const failure = new ServiceUnavailable('jobs.submit', 'no_responders');
  answers[SubmitJob.subject] = () => Promise.reject(failure);
  const upload = await open();
  const startedAtMs = performance.now();
  await expect(upload.submit(submission)).rejects.toBe(failure);
  const waitedMs = performance.now() - startedAtMs;
  expect(waitedMs).toBeGreaterThan(19_000);
  expect(waitedMs).toBeLessThan(23_000);
});

it('neither a refusal nor a mistake of ours is asked about again', async () => {
  const upload = await open();
  answers[SubmitJob.subject] = () => Promise.resolve(refuse('insufficient_credit'));
  expect(await upload.submit(submission)).toEqual(refuse('insufficient_credit'));
  answers[SubmitJob.subject] = () => Promise.reject(new TypeError('a mistake'));
  await expect(upload.submit(submission)).rejects.toThrow(TypeError);
  expect(askedFor(SubmitJob)).toHaveLength(2);
});

it('a discard is waited for, so that the job is hidden before the client is answered', async () => {
  let hidden = false;
  answers[DiscardJob.subject] = async () => {
    await sleep(200);
    hidden = true;
    return accept({});
  };
  await (await open()).discard();
  expect(hidden).toBe(true);
});

it('a discard that is not answered holds the client no longer than 2 s and is repeated until it is', async () => {
  answers[DiscardJob.subject] = async ({ deadlineMs }) => {
    if (askedFor(DiscardJob).length > 2) return accept({});
    await sleep(deadlineMs ?? 5_000);
    throw new ServiceUnavailable('jobs.discard', 'deadline');
  };
  const upload = await open();
  const startedAtMs = performance.now();
  await upload.discard();
  expect(performance.now() - startedAtMs).toBeLessThan(2_500);
  expect(askedFor(DiscardJob)).toHaveLength(1);
  await sleep(4_500);
  expect(askedFor(DiscardJob)).toHaveLength(3);
  await sleep(2_500);
  expect(askedFor(DiscardJob)).toHaveLength(3);
});

describe('while a recording is stored', () => {
  const store = (upload: Upload) => upload.store(Readable.from([]), { contentType: 'audio/wav' });

  it('its upload is kept, however many leases that takes', async () => {
    expect(await store(await open())).toBe('stored');
    expect(askedFor(KeepUpload).length).toBeGreaterThan(5);
  });

  it.each<[string, Answer]>([
    ['gives the upload up', () => Promise.resolve(refuse('upload_failed'))],
    ['has not answered for a whole lease', () => Promise.reject(new RemoteBreakdown('jobs.keep_upload'))],
  ])('nothing more is stored when jobs %s', async (_, answer) => {
    answers[KeepUpload.subject] = answer;
    await expect(store(await open())).rejects.toThrow(/was given up/);
  });

  it.each(['a notice says so', 'jobs says so when the upload is to be kept'])(
    'nothing more is stored of a cancelled job, and its client is told why, when %s',
    async (how) => {
      storingMs = 5_000;
      if (how === 'a notice says so') setTimeout(() => stopped.stop(openedId()), 50);
      else answers[KeepUpload.subject] = () => Promise.resolve(refuse('job_cancelled'));
      const startedAtMs = performance.now();
      const refused: unknown = await store(await open()).catch((error: unknown) => error);
      expect(refused).toMatchObject({ status: 409, refusal: { code: 'job_cancelled' } });
      expect(performance.now() - startedAtMs).toBeLessThan(1_000);
    },
  );
});
