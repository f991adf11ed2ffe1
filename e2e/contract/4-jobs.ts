import { request } from 'node:http';
import { wav } from '../recordings';
import type { ScriptedWorker } from '../scripted-worker';
import { TIMESTAMP, TWO_SECONDS, UNKNOWN_ID, type Contract, type Customer } from './contract';

/** Every field of the detail form, and those that part 9 adds. */
const FIELDS = [
  ...['id', 'status', 'original_filename', 'language', 'audio_duration_seconds', 'audio_duration_minutes'],
  ...['transcription', 'diarization', 'error_message', 'created_at', 'completed_at'],
];
const ADDED = [
  ...['progress', 'cost_aud', 'speaker_names', 'audio_available', 'segments', 'warnings'],
  ...['num_speakers', 'analysis', 'queue_position', 'estimated_completion_at'],
  ...['diarization_pending', 'diarization_error', 'engine', 'diarizer', 'speakers_summary'],
];

export function jobs(here: () => Contract): void {
  it('a completed job has every field, and "" for a recording without speech', async () => {
    const { customer, jobId } = here();
    const job = await customer.job(jobId);
    expect(Object.keys(job)).toEqual(expect.arrayContaining([...FIELDS, ...ADDED]));
    expect(job).toMatchObject({
      id: jobId,
      status: 'completed',
      original_filename: 'talk.WAV',
      language: 'en',
      audio_duration_seconds: 2,
      audio_duration_minutes: 2 / 60,
      transcription: '',
      diarization: '',
      error_message: null,
      created_at: expect.stringMatching(TIMESTAMP) as string,
      completed_at: expect.stringMatching(TIMESTAMP) as string,
    });
  });

  it('a file name that was sent to do harm is shown as text', async () => {
    const { customer } = here();
    const id = await customer.submit({ name: '../../etc/pass\u0007wd.wav', bytes: wav(1) });
    expect((await customer.finished(id))['original_filename']).toBe('passwd.wav');
  });

  it.each(['unknown', 'malformed', 'foreign'])('an id that is %s is 404', async (kind) => {
    const { other, jobId } = here();
    const id = kind === 'unknown' ? UNKNOWN_ID : kind === 'malformed' ? 'not-an-id' : jobId;
    expect(await other.get(`/api/v1/jobs/${id}`)).toMatchObject({
      status: 404,
      body: { detail: 'Job not found' },
    });
  });

  describe('a list', () => {
    let someone: Customer;
    let newestFirst: string[];
    beforeAll(async () => {
      someone = await here().newCustomer({ freeMinutes: 10 });
      newestFirst = [];
      for (let n = 0; n < 3; n++) newestFirst.unshift(await someone.submit(TWO_SECONDS));
      await Promise.all(newestFirst.map((id) => someone.finished(id)));
    }, 60_000);

    it('is newest first, a page at a time', async () => {
      const first = (await someone.get('/api/v1/jobs?page=1&page_size=2')).body;
      expect(first).toMatchObject({ total: 3, page: 1, page_size: 2, total_pages: 2 });
      const second = (await someone.get('/api/v1/jobs?page=2&page_size=2')).body;
      expect(second).toMatchObject({ total: 3, page: 2, page_size: 2, total_pages: 2 });
      const ids = [first, second].flatMap(({ jobs }) => (jobs as { id: string }[]).map(({ id }) => id));
      expect(ids).toEqual(newestFirst);
    });

    it('has pages of 20 unless told, and counts from 1', async () => {
      expect((await someone.get('/api/v1/jobs')).body).toMatchObject({
        page: 1,
        page_size: 20,
        total_pages: 1,
      });
    });

    it('has the detail form without transcription and diarization', async () => {
      const { jobs } = (await someone.get('/api/v1/jobs')).body as { jobs: Record<string, unknown>[] };
      const detail = await someone.job(newestFirst[0]!);
      for (const field of FIELDS.filter((name) => !['transcription', 'diarization'].includes(name)))
        expect(jobs[0]![field]).toEqual(detail[field]);
      for (const item of jobs) {
        expect(item).not.toHaveProperty('transcription');
        expect(item).not.toHaveProperty('diarization');
      }
    });

    it.each(['page=4&page_size=1', 'page=9', `page=${'9'.repeat(30)}&page_size=100`])(
      '?%s is past the end: empty, with the true total',
      async (query) => {
        expect(await someone.get(`/api/v1/jobs?${query}`)).toMatchObject({
          status: 200,
          body: { jobs: [], total: 3 },
        });
      },
    );

    it('of one status has those alone; total_pages is 0 when there is nothing', async () => {
      expect((await someone.get('/api/v1/jobs?status=completed')).body).toMatchObject({
        total: 3,
        total_pages: 1,
      });
      for (const status of ['pending', 'uploading', 'processing', 'failed'])
        expect((await someone.get(`/api/v1/jobs?status=${status}`)).body).toMatchObject({
          jobs: [],
          total: 0,
          total_pages: 0,
        });
    });

    it('empty parameters count as absent', async () => {
      const all = (await someone.get('/api/v1/jobs')).body;
      expect((await someone.get('/api/v1/jobs?page=&page_size=&status=')).body).toEqual(all);
    });

    it.each([
      ...[
        'page=0',
        'page=-1',
        'page=x',
        'page=1.5',
        'page=1&page=2',
        'page_size=0',
        'page_size=101',
        'page_size=ten',
      ],
      ...['status=done', 'status=COMPLETED', 'status=completed&status=failed'],
    ])('?%s is 400 and names the parameter', async (query) => {
      const answer = await someone.get(`/api/v1/jobs?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body['detail']).toMatch(new RegExp(`^${query.split('=')[0]}: must be`));
    });

    it.each(['page_size=1', 'page_size=100'])('?%s is allowed', async (query) => {
      expect((await someone.get(`/api/v1/jobs?${query}`)).status).toBe(200);
    });
  });
}

/** With a worker that does what the test says. */
export function unfinishedJobs(here: () => Contract, scripted: () => ScriptedWorker): void {
  let someone: Customer;
  beforeEach(async () => (someone = await here().newCustomer({ freeMinutes: 10 })));

  const unfinished = {
    audio_duration_seconds: null,
    audio_duration_minutes: null,
    transcription: null,
    diarization: null,
    error_message: null,
    completed_at: null,
  };

  it('a job is pending until a worker has it, then processing, then completed with its text', async () => {
    const answer = await someone.transcribe(TWO_SECONDS);
    expect(answer.body['status']).toBe('processing');
    const id = String(answer.body['job_id']);
    const pending = await someone.job(id);
    expect(Object.keys(pending)).toEqual(expect.arrayContaining([...FIELDS, ...ADDED]));
    expect(pending).toMatchObject({ ...unfinished, id, status: 'pending' });
    expect((await someone.get(`/status/${id}`)).body).toEqual({ status: 'PENDING' });
    expect((await someone.get('/queue/status')).body).toEqual({ status: 'ok', pending: 1, processing: 0 });

    const work = await scripted().begin(id);
    expect(await someone.job(id)).toMatchObject({ ...unfinished, status: 'processing' });
    expect((await someone.get(`/status/${id}`)).body).toEqual({ status: 'PROCESSING' });
    expect((await someone.get('/queue/status')).body).toEqual({ status: 'ok', pending: 0, processing: 1 });
    expect((await here().other.get('/queue/status')).body).toEqual({
      status: 'ok',
      pending: 0,
      processing: 0,
    });

    await scripted().transcribed(work, 'good morning', 2);
    const done = await someone.finished(id);
    expect(done).toMatchObject({
      status: 'completed',
      audio_duration_seconds: 2,
      audio_duration_minutes: 2 / 60,
      transcription: 'good morning',
      diarization: '[Speaker 1]: good morning',
      error_message: null,
      completed_at: expect.stringMatching(TIMESTAMP) as string,
    });
    expect((await someone.get(`/status/${id}`)).body).toEqual({ status: 'COMPLETE' });
    expect((await someone.get('/queue/status')).body).toEqual({ status: 'ok', pending: 0, processing: 0 });

    // Terminal is final: what comes later changes nothing.
    await scripted().report(work, { kind: 'refused', code: 'undecodable_audio', detail: 'too late' });
    await scripted().afterwards();
    expect(await someone.job(id)).toEqual(done);
  });

  it('a failed job has a short text, no transcription, a time, and costs nothing', async () => {
    const before = (await someone.get('/api/v1/credit')).body;
    const id = await someone.submit(TWO_SECONDS);
    const work = await scripted().begin(id);
    await scripted().report(work, {
      kind: 'refused',
      code: 'undecodable_audio',
      detail: 'No audio could be read.',
    });
    const failed = await someone.finished(id);
    expect(Object.keys(failed)).toEqual(expect.arrayContaining([...FIELDS, ...ADDED]));
    expect(failed).toMatchObject({
      status: 'failed',
      transcription: null,
      diarization: null,
      error_message: 'No audio could be read.',
      completed_at: expect.stringMatching(TIMESTAMP) as string,
    });
    expect((await someone.get(`/status/${id}`)).body).toEqual({ status: 'FAILED' });
    expect((await someone.get('/api/v1/credit')).body).toEqual(before);
    expect((await someone.get('/api/v1/jobs?status=failed')).body).toMatchObject({
      total: 1,
      total_pages: 1,
    });
  });

  it('a job is uploading while its bytes arrive', async () => {
    const finish = beginUpload(someone);
    const deadline = Date.now() + 10_000;
    let listed: { id: string; status: string }[] = [];
    while (listed.length === 0 && Date.now() < deadline)
      listed = (await someone.get('/api/v1/jobs?status=uploading')).body['jobs'] as typeof listed;
    expect(listed).toEqual([expect.objectContaining({ status: 'uploading', original_filename: 'slow.wav' })]);
    expect(await someone.job(listed[0]!.id)).toMatchObject({ ...unfinished, status: 'uploading' });
    expect((await someone.get(`/status/${listed[0]!.id}`)).body).toEqual({ status: 'UPLOADING' });
    expect(await finish()).toBe(200);
    const work = await scripted().begin(listed[0]!.id);
    await scripted().transcribed(work, 'at last', 2);
    await someone.finished(listed[0]!.id);
  });
}

/** Sends most of a recording. @returns what sends the rest, and gives the status */
function beginUpload({ baseUrl, apiKey }: Customer): () => Promise<number | undefined> {
  const call = request(`${baseUrl}/api/v1/transcribe`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey!, 'Content-Type': 'multipart/form-data; boundary=edge' },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    call.on('error', reject).on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
  });
  const recording = wav(2);
  call.write('--edge\r\nContent-Disposition: form-data; name="file"; filename="slow.wav"\r\n\r\n');
  call.write(recording.subarray(0, -100));
  return () => {
    call.end(Buffer.concat([recording.subarray(-100), Buffer.from('\r\n--edge--\r\n')]));
    return answered;
  };
}
