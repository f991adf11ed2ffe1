import { startPlatform, type TestPlatform } from '@currawong/testing';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI, {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
  toFile,
  UnprocessableEntityError,
  type APIError,
} from 'openai';
import { newCustomer, type Client } from './client';
import { converted, wav } from './recordings';

// What OpenAI's own library does with our address and our key, and nothing else changed.
jest.setTimeout(180_000);

let platform: TestPlatform;
let customer: Client & { accountId: string };
let openai: OpenAI;
/** Six seconds of speech. */
let sample: string;

beforeAll(async () => {
  sample = converted(join(__dirname, '..', 'samples', 'two-voices.ogg'), 'ogg', '-t', '6');
  platform = await startPlatform({ env: { RECOGNIZER: 'pocketsphinx', SWEEP_INTERVAL_SECONDS: '0.2' } });
  customer = await newCustomer(platform, { creditAud: '10' });
  openai = clientOf(customer);
}, 180_000);
afterAll(() => platform?.stop());

const clientOf = ({ apiKey }: Client, base = '/v1') =>
  new OpenAI({ baseURL: platform.baseUrl + base, apiKey: apiKey!, maxRetries: 0 });
const send = (params: Partial<OpenAI.Audio.TranscriptionCreateParamsNonStreaming> = {}, client = openai) =>
  client.audio.transcriptions.create({
    file: createReadStream(sample),
    model: 'whisper-1',
    ...params,
  }) as Promise<unknown>;

describe('the text of a recording', () => {
  it('comes as json, with what is charged for and the job that it can be found by', async () => {
    const { data, response } = await openai.audio.transcriptions
      .create({ file: createReadStream(sample), model: 'gpt-4o-transcribe' })
      .withResponse();
    const id = response.headers.get('x-currawong-job-id')!;
    const job = await customer.job(id);
    expect(data).toEqual({
      text: job.transcription,
      usage: { type: 'duration', seconds: 6 },
      job_id: id,
      engine: expect.objectContaining({ name: 'pocketsphinx' }),
    });
    expect(job).toMatchObject({ status: 'completed', original_filename: expect.stringMatching(/\.ogg$/) });
  });

  it('comes as text and as subtitles, under the longer address as well', async () => {
    const client = clientOf(customer, '/api/v1');
    expect(await send({ response_format: 'text' }, client)).toMatch(/^\w.*\n$/);
    expect(await send({ response_format: 'srt' })).toMatch(/^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\n\w/);
    expect(await send({ response_format: 'vtt' })).toMatch(/^WEBVTT\n\n00:00:0\d\.\d{3} --> /);
  });

  it('comes with its words and segments', async () => {
    const answer = (await send({
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
      language: 'en',
      temperature: 0,
    })) as OpenAI.Audio.TranscriptionVerbose;
    expect(answer).toMatchObject({ language: 'english', duration: expect.closeTo(6, 0) });
    expect(answer.words!.map(({ word }) => word).join(' ')).toBe(answer.text);
    expect(answer.segments!.map(({ text }) => text).join(' ')).toBe(answer.text);
    for (const { start, end } of [...answer.words!, ...answer.segments!])
      expect(end).toBeGreaterThanOrEqual(start);
  });

  it('comes with its speakers, and our own fields are taken beside', async () => {
    const { data, response } = await openai.audio.transcriptions
      .create({
        ...{ file: createReadStream(sample), model: 'gpt-4o-transcribe-diarize', chunking_strategy: 'auto' },
        ...{ response_format: 'diarized_json', num_speakers: 2 },
      } as OpenAI.Audio.TranscriptionCreateParamsNonStreaming)
      .withResponse();
    const { segments, text } = data as unknown as OpenAI.Audio.TranscriptionDiarized;
    expect(segments[0]).toMatchObject({
      type: 'transcript.text.segment',
      speaker: 'A',
      start: expect.any(Number),
    });
    expect(segments.map((segment) => segment.text).join(' ')).toBe(text);
    expect(await customer.job(response.headers.get('x-currawong-job-id')!)).toMatchObject({
      num_speakers: 2,
    });
  });

  it('comes as a stream', async () => {
    const stream = await openai.audio.transcriptions.create({
      ...{ file: createReadStream(sample), model: 'gpt-4o-transcribe', stream: true },
    });
    let heard = '';
    let whole: string | undefined;
    for await (const event of stream) {
      if (event.type === 'transcript.text.delta') heard += event.delta;
      if (event.type === 'transcript.text.done') whole = event.text;
    }
    expect(whole).toMatch(/\w/);
    expect(heard).toBe(whole);
  });

  it('is free of charge with a test key', async () => {
    const tester = await newCustomer(platform, { mode: 'test' });
    expect(await send({}, clientOf(tester))).toMatchObject({ text: expect.any(String) });
    expect((await tester.get('/api/v1/credit')).body).toMatchObject({ total_used_aud: '0.00' });
  });
});

describe('what is refused raises what the library has for it', () => {
  const failure = async (promise: Promise<unknown>) =>
    promise.then(
      () => Promise.reject(new Error('it was not refused')),
      (error: unknown) => error as APIError,
    );

  it('a wrong key', async () => {
    const error = await failure(send({}, clientOf({ apiKey: 'sk_live_wrong' } as Client)));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      message: '401 Invalid or missing API key',
    });
  });

  it('no credit', async () => {
    const error = await failure(send({}, clientOf(await newCustomer(platform))));
    expect(error).toMatchObject({ status: 402, code: 'insufficient_quota', type: 'insufficient_quota' });
    expect(error.message).toMatch(/Your available balance is AUD 0\.00/);
  });

  it('a file that is no recording, and a field that is not allowed', async () => {
    const text = await failure(send({ file: await toFile(Buffer.from('hello'), 'a.txt') }));
    expect(text).toBeInstanceOf(BadRequestError);
    expect(text).toMatchObject({ status: 400, param: 'file', type: 'invalid_request_error' });
    const logprobs = await failure(send({ include: ['logprobs'] }));
    expect(logprobs).toMatchObject({ status: 400, param: 'include[]', code: 'invalid_parameter' });
    const format = await failure(send({ stream: true, response_format: 'srt' } as never));
    expect(format).toMatchObject({ status: 400, param: 'stream' });
  });

  it('a translation', async () => {
    const asked = openai.audio.translations.create({ file: createReadStream(sample), model: 'whisper-1' });
    const error = await failure(asked);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).toMatch(/Translations are not made here/);
  });

  it('a job that fails, with its reason, whole and as a stream; nothing is charged', async () => {
    const before = (await customer.get('/api/v1/usage')).body;
    await platform.halt('worker');
    try {
      for (const stream of [false, true]) {
        const known = await jobIds();
        const asked = failure(
          (async () => {
            const answer = await openai.audio.transcriptions.create({
              ...{ file: createReadStream(sample), model: 'a', stream },
            } as never);
            if (stream) for await (const _ of answer as unknown as AsyncIterable<unknown>);
          })(),
        );
        await fetch(`${platform.baseUrl}/v1/jobs/${await newJob(known)}`, {
          ...{ method: 'DELETE', headers: { 'X-API-Key': customer.apiKey! } },
        });
        const error = await asked;
        if (!stream) expect(error).toBeInstanceOf(UnprocessableEntityError);
        expect(error).toMatchObject({ code: 'job_failed' });
        expect(error.message).toMatch(/Cancelled by the client/);
      }
    } finally {
      await platform.resume('worker');
    }
    expect((await customer.get('/api/v1/usage')).body).toEqual(before);
  });
});

it('whoever leaves pays nothing: the job is undone, and what was set aside is there again', async () => {
  const before = (await customer.get('/api/v1/usage')).body;
  await platform.halt('worker');
  try {
    for (const stream of [false, true]) {
      const known = await jobIds();
      const leaving = new AbortController();
      const asked = (async () => {
        const params = { file: createReadStream(sample), model: 'whisper-1', stream };
        const answer = await openai.audio.transcriptions.create(params as never, { signal: leaving.signal });
        if (stream) for await (const _ of answer as unknown as AsyncIterable<unknown>);
        return 'answered';
      })().catch((error: Error) => error.constructor.name);
      const id = await newJob(known);
      expect((await customer.get('/api/v1/usage')).body).not.toEqual(before);
      leaving.abort();
      // A stream that was left just ends, as the library has it.
      expect(await asked).toBe(stream ? 'answered' : 'APIUserAbortError');
      await until(async () => (await customer.get(`/api/v1/jobs/${id}`)).status === 404);
      await until(
        async () => JSON.stringify((await customer.get('/api/v1/usage')).body) === JSON.stringify(before),
      );
    }
  } finally {
    await platform.resume('worker');
  }
});

it('lists models for programs that look before they ask', async () => {
  const { data } = await openai.models.list();
  expect(data.map(({ id }) => id)).toEqual(['currawong', 'whisper-1']);
  expect(await openai.models.retrieve('whisper-1')).toEqual(data[1]);
  await expect(openai.models.retrieve('gpt-4')).rejects.toThrow(NotFoundError);
});

it('counts as a submission, and says how long to wait in the form that the library knows', async () => {
  const limited = await startPlatform({
    env: { RECOGNIZER: 'null', RATE_LIMIT_TRANSCRIBE_PER_MINUTE: '1' },
  });
  try {
    const someone = await newCustomer(limited, { creditAud: '1' });
    expect((await someone.transcribe({ name: 'a.wav', bytes: wav(1) })).status).toBe(200);
    const client = new OpenAI({ baseURL: `${limited.baseUrl}/v1`, apiKey: someone.apiKey!, maxRetries: 0 });
    const refused = send({}, client);
    await expect(refused).rejects.toThrow(RateLimitError);
    const error = (await refused.catch((one: unknown) => one)) as APIError;
    expect(Number(error.headers!.get('retry-after'))).toBeGreaterThan(0);
    expect(error.code).toBe('rate_limit_exceeded');
  } finally {
    await limited.stop();
  }
});

it('leaves books that add up', async () => {
  const report = await platform.admin<{ problems: string[]; open_holds: unknown[] }>('ledger', 'check');
  expect(report).toMatchObject({ problems: [], open_holds: [] });
});

async function jobIds(): Promise<Set<string>> {
  const { body } = await customer.get('/api/v1/jobs?page_size=100');
  return new Set(
    (body['jobs'] as { id: string; status: string }[])
      .filter(({ status }) => status !== 'uploading')
      .map(({ id }) => id),
  );
}

/** The id of a job that was accepted and was not among these. */
async function newJob(known: Set<string>): Promise<string> {
  let found: string | undefined;
  await until(async () => {
    found = [...(await jobIds())].find((id) => !known.has(id));
    return found !== undefined;
  });
  return found!;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('What was waited for did not happen.');
    await sleep(100);
  }
}
