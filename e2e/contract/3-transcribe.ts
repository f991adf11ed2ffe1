import { request } from 'node:http';
import { wav } from '../recordings';
import {
  made,
  MAX_FILE_BYTES,
  quiet,
  TWO_SECONDS,
  UUID_V7,
  type Contract,
  type ContractClient,
  type Customer,
} from './contract';

const TONE = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=2'];
const FILM = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=5:duration=2', ...TONE, '-shortest'];
const EXTENSIONS = ['.mp3', '.wav', '.ogg', '.flac', '.m4a', '.mp4', '.webm'];

export function transcribe(here: () => Contract): void {
  it('answers 200 with the receipt, whose message says what to poll', async () => {
    const { customer } = here();
    const answer = await customer.transcribe(TWO_SECONDS);
    expect(answer.status).toBe(200);
    const id = String(answer.body['job_id']);
    expect(answer.body).toEqual({
      job_id: expect.stringMatching(UUID_V7) as string,
      status: 'processing',
      message: expect.stringContaining(`poll GET /api/v1/jobs/${id}`) as string,
    });
    await customer.finished(id);
  });

  it.each(EXTENSIONS)('%s is accepted, its extension in any case', async (extension) => {
    const { customer } = here();
    const options = extension === '.webm' ? [...TONE, '-c:a', 'libopus'] : TONE;
    const { bytes } = made(`tone${extension}`, ...options);
    const job = await customer.finished(
      await customer.submit({ name: `Tone${extension.toUpperCase()}`, bytes }),
    );
    expect(job).toMatchObject({ status: 'completed', original_filename: `Tone${extension.toUpperCase()}` });
    expect([2, 3]).toContain(job.audio_duration_seconds);
  });

  it.each([
    ['film.mp4', ['-c:v', 'mpeg4', '-c:a', 'aac']],
    ['film.webm', ['-c:v', 'libvpx', '-c:a', 'libopus']],
  ])('the video track of %s is ignored', async (name, codecs) => {
    const { customer } = here();
    const job = await customer.finished(await customer.submit(made(name, ...FILM, ...codecs)));
    expect(job).toMatchObject({ status: 'completed', error_message: null });
  });

  it.each([
    ['notes.txt', wav(1), /^file: .*\.mp3 \.wav \.ogg \.flac \.m4a \.mp4 \.webm/],
    ['sound', wav(1), /^file: .*\.mp3 \.wav/],
    ['.wav', wav(1), /^file: .*\.mp3 \.wav/],
    [
      'noise.mp3',
      Buffer.from('this is no sound at all'.repeat(100)),
      /^file: its content is not audio.*\.mp3 \.wav/,
    ],
    [
      'picture.mp4',
      Buffer.from('\x89PNG\r\n\x1a\n'.repeat(100), 'latin1'),
      /^file: its content is not audio/,
    ],
  ])(
    'extension and leading bytes are both checked: %s is 400 and lists what is allowed',
    async (name, bytes, why) => {
      const answer = await here().customer.transcribe({ name, bytes });
      expect(answer.status).toBe(400);
      expect(answer.body['detail']).toMatch(why);
    },
  );

  it('what looks like audio and cannot be decoded is 400, or a job that fails and costs nothing', async () => {
    const someone = await here().newCustomer({ creditAud: '1' });
    const broken = Buffer.concat([wav(1).subarray(0, 44), Buffer.alloc(10)]);
    broken.writeUInt16LE(0x7777, 20);
    const answer = await someone.transcribe({ name: 'broken.wav', bytes: broken });
    if (answer.status === 200) {
      const job = await someone.finished(String(answer.body['job_id']));
      expect(job).toMatchObject({ status: 'failed', error_message: expect.any(String) as string });
    } else {
      expect(answer).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(/^file: /) as string },
      });
    }
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({
      balance_aud: '1.00',
      total_used_aud: '0.00',
    });
  });

  it('the parts may come in any order, and fields that are not known are ignored', async () => {
    const { customer } = here();
    const file = new Blob([new Uint8Array(wav(1))]);
    const before: [string, string][] = [
      ['language', 'en-AU'],
      ['colour', 'blue'],
      ['prompt', 'Ada, Lovelace'],
    ];
    for (const order of ['file first', 'file last', 'file between']) {
      const form = new FormData();
      if (order === 'file first') form.set('file', file, 'a.wav');
      for (const [name, value] of before) form.set(name, value);
      if (order === 'file between') form.set('file', file, 'a.wav');
      form.set('num_speakers', '3');
      if (order === 'file last') form.set('file', file, 'a.wav');
      const answer = await customer.send('POST', '/api/v1/transcribe', form);
      expect([order, answer.status]).toEqual([order, 200]);
      const id = String(answer.body['job_id']);
      expect(await here().recordOf(id)).toMatchObject({
        language: 'en',
        num_speakers: 3,
        prompt: 'Ada, Lovelace',
      });
      await customer.finished(id);
    }
  });

  it('the language is en unless given; subtags are accepted and dropped', async () => {
    const { customer } = here();
    for (const fields of [{}, { language: 'en' }, { language: 'en-AU' }, { language: 'EN-au-x-private' }]) {
      const job = await customer.finished(await customer.submit(TWO_SECONDS, fields));
      expect(job['language']).toBe('en');
    }
  });

  it.each([
    ['language', 'xx', 'language: must be one of en'],
    ['language', 'english', 'language: must be one of en'],
    ['num_speakers', '0', 'num_speakers: must be a whole number from 1 to 10'],
    ['num_speakers', '11', 'num_speakers: must be a whole number from 1 to 10'],
    ['num_speakers', '2.5', 'num_speakers: must be a whole number from 1 to 10'],
    ['num_speakers', 'two', 'num_speakers: must be a whole number from 1 to 10'],
  ])('%s=%s is 400, and the text names the field and the allowed values', async (field, value, detail) => {
    const answer = await here().customer.transcribe(TWO_SECONDS, { [field]: value });
    expect(answer).toMatchObject({ status: 400, body: { detail } });
  });

  it.each(['1', '10'])('num_speakers may be %s', async (number) => {
    const { customer } = here();
    const id = await customer.submit(TWO_SECONDS, { num_speakers: number });
    expect(await here().recordOf(id)).toMatchObject({ num_speakers: Number(number) });
    await customer.finished(id);
  });

  it('only the last 200 tokens of a prompt are used, without control characters', async () => {
    const { customer } = here();
    const words = Array.from({ length: 250 }, (_, index) => `word${index},`);
    const long = await customer.submit(TWO_SECONDS, { prompt: words.join(' ') });
    expect((await here().recordOf(long))['prompt']).toBe(words.slice(-200).join(' '));
    const odd = await customer.submit(TWO_SECONDS, { prompt: 'Ada\u0000Lovelace' });
    expect((await here().recordOf(odd))['prompt']).toBe('Ada Lovelace');
    await Promise.all([customer.finished(long), customer.finished(odd)]);
  });

  it('no file, an empty file and more than one file are 400 that name the field', async () => {
    const { customer } = here();
    const one = () => new Blob([new Uint8Array(wav(1))]);
    const none = new FormData();
    none.set('language', 'en');
    const empty = new FormData();
    empty.set('file', new Blob([]), 'empty.wav');
    const two = new FormData();
    two.append('file', one(), 'a.wav');
    two.append('file', one(), 'b.wav');
    const elsewhere = new FormData();
    elsewhere.set('recording', one(), 'a.wav');
    for (const [form, detail] of [
      [none, /^file: no file was sent/],
      [empty, /^file: the file is empty/],
      [two, /^file: send exactly one file/],
      [elsewhere, /"file"/],
    ] as const) {
      const answer = await customer.send('POST', '/api/v1/transcribe', form);
      expect(answer).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(detail) as string },
      });
    }
  });

  it('a file of the largest size is accepted, one byte more is 400 with the limit in the text', async () => {
    const { customer } = here();
    const largest = wav(0);
    const bytes = Buffer.concat([largest, Buffer.alloc(MAX_FILE_BYTES - largest.length)]);
    bytes.writeUInt32LE(MAX_FILE_BYTES - 8, 4);
    bytes.writeUInt32LE(MAX_FILE_BYTES - 44, 40);
    await customer.finished(await customer.submit({ name: 'largest.wav', bytes }));
    const over = await customer.transcribe({
      name: 'over.wav',
      bytes: Buffer.concat([bytes, Buffer.alloc(1)]),
    });
    expect(over).toMatchObject({
      status: 400,
      body: { detail: 'file: it is larger than the 2 MB that are allowed.' },
    });
  });

  it.each([true, false])(
    '400 comes as soon as the limit is passed, with a Content-Length (%s) or without',
    async (announced) => {
      expect(await answerToUnfinished(here().customer, announced)).toEqual({
        status: 400,
        detail: 'file: it is larger than the 2 MB that are allowed.',
      });
    },
  );

  it('402 below AUD 0.50 without free minutes, with the numbers', async () => {
    const poor = await here().newCustomer({ creditAud: '0.49' });
    const answer = await poor.transcribe(TWO_SECONDS);
    expect(answer).toMatchObject({
      status: 402,
      body: {
        detail:
          'Your available balance is AUD 0.49 and no free minutes are left. At least AUD 0.50 is needed to submit a ' +
          'recording. Top up AUD 0.01 or more, then send the recording again.',
      },
    });
    await here().expectNothingLeft(poor);
    const enough = await here().newCustomer({ creditAud: '0.50' });
    await enough.finished(await enough.submit(TWO_SECONDS));
  });

  it('402 where the recording costs more than what is available, with the numbers', async () => {
    const someone = await here().newCustomer({ creditAud: '0.50', freeMinutes: 1 });
    // 27 minutes, of which one is free: AUD 0.52 for 26.
    const answer = await someone.transcribe(quiet(27 * 60));
    expect(answer).toMatchObject({
      status: 402,
      body: {
        detail:
          'This recording of 27.0 minutes needs AUD 0.52 beyond your 1.0 free minutes, and AUD 0.50 is available. ' +
          'Top up AUD 0.02 or more, then send the recording again.',
      },
    });
    await here().expectNothingLeft(someone);
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({
      balance_aud: '0.50',
      free_minutes_remaining: 1,
    });
  });

  it('500 where the upload breaks, and nothing is left behind', async () => {
    const someone = await here().newCustomer({ creditAud: '1' });
    const answer = await here().whileBroken('jobs.jobs', () => someone.transcribe(TWO_SECONDS));
    expect(answer).toMatchObject({
      status: 500,
      body: { detail: 'The upload failed and nothing was kept. Send the recording again.' },
    });
    await here().expectNothingLeft(someone);
  });

  it('after any 400 nothing is left behind: no job, no hold, no object', async () => {
    const someone = await here().newCustomer({ creditAud: '1' });
    const statuses = [];
    for (const [file, fields] of [
      [{ name: 'empty.wav', bytes: Buffer.alloc(0) }, {}],
      [{ name: 'notes.txt', bytes: wav(1) }, {}],
      [{ name: 'noise.mp3', bytes: Buffer.alloc(5_000, 'x') }, {}],
      [{ name: 'large.wav', bytes: wav(70) }, {}],
      [TWO_SECONDS, { num_speakers: '0' }],
      [TWO_SECONDS, { language: 'xx' }],
    ] as const) {
      statuses.push((await someone.transcribe(file, fields)).status);
    }
    expect(new Set(statuses)).toEqual(new Set([400]));
    await here().expectNothingLeft(someone);
    expect((await someone.get('/api/v1/credit')).body).toMatchObject({ balance_aud: '1.00' });
  });

  it('a client that leaves in the middle leaves nothing behind', async () => {
    const someone = await here().newCustomer({ creditAud: '1' });
    await leaveHalfway(someone);
    const deadline = Date.now() + 10_000;
    const unfinished = async () => (await someone.get('/api/v1/jobs')).body['total'];
    while ((await unfinished()) !== 0 && Date.now() < deadline) await new Promise((r) => setTimeout(r, 100));
    await here().expectNothingLeft(someone);
  });
}

const HEAD = '--edge\r\nContent-Disposition: form-data; name="file"; filename="long.wav"\r\n\r\n';

/** Sends one byte more than is allowed and then waits, its body unfinished. */
function answerToUnfinished(
  { baseUrl, apiKey }: ContractClient,
  announced: boolean,
): Promise<{ status: number | undefined; detail: unknown }> {
  return new Promise((resolve, reject) => {
    const call = request(`${baseUrl}/api/v1/transcribe`, {
      method: 'POST',
      headers: {
        'X-API-Key': apiKey!,
        'Content-Type': 'multipart/form-data; boundary=edge',
        ...(announced ? { 'Content-Length': String(MAX_FILE_BYTES + 100_000) } : {}),
      },
    });
    call.on('response', (response) => {
      let text = '';
      response.on('data', (bytes) => (text += String(bytes)));
      response.on('end', () => {
        resolve({ status: response.statusCode, detail: (JSON.parse(text) as { detail: unknown }).detail });
        call.destroy();
      });
    });
    call.on('error', reject);
    call.write(HEAD);
    call.write(wav(0).subarray(0, 44));
    call.write(Buffer.alloc(MAX_FILE_BYTES + 1 - 44));
  });
}

/** Breaks off as soon as the job is there, its bytes still arriving. */
async function leaveHalfway(someone: Customer): Promise<void> {
  const call = request(`${someone.baseUrl}/api/v1/transcribe`, {
    method: 'POST',
    headers: { 'X-API-Key': someone.apiKey!, 'Content-Type': 'multipart/form-data; boundary=edge' },
  });
  call.on('error', () => undefined);
  call.write(HEAD);
  call.write(wav(10));
  const uploading = async () => (await someone.get('/api/v1/jobs?status=uploading')).body['total'];
  while ((await uploading()) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  call.destroy();
}
