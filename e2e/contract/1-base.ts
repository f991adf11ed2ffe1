import { connect } from 'node:net';
import { TIMESTAMP, TWO_SECONDS, UUID_V7, type Contract } from './contract';

export function base(here: () => Contract): void {
  it.each([
    'jobs',
    'usage',
    'credit',
    'usage/breakdown',
    'statement',
    'queue/status',
    'health',
    'openapi.json',
  ])('/%s answers under /api/v1, and the same under /v1', async (path) => {
    const { customer } = here();
    const answer = await customer.get(`/api/v1/${path}`);
    expect(answer.status).toBe(200);
    expect((await customer.get(`/v1/${path}`)).body).toEqual(answer.body);
  });

  it('a recording can be sent and its job read under /v1', async () => {
    const { customer } = here();
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(TWO_SECONDS.bytes)]), TWO_SECONDS.name);
    const { status, body } = await customer.send('POST', '/v1/transcribe', form);
    expect(status).toBe(200);
    const id = String(body['job_id']);
    const job = await customer.finished(id);
    expect((await customer.get(`/v1/jobs/${id}`)).body).toEqual(job);
  });

  it.each([
    ['GET', '/nothing', 404],
    ['GET', '/api/v1/nothing', 404],
    ['POST', '/api/v1/nothing', 404],
    ['GET', '/api/v2/jobs', 404],
    ['GET', '/api/v1/jobs/%E0%A4%A', 404],
    ['GET', '/%E0%A4%A', 404],
    ['DELETE', '/api/v1/usage', 405],
    ['GET', '/api/v1/transcribe', 405],
    ['POST', '/api/v1/jobs', 405],
    ['PUT', '/v1/credit', 405],
  ])('%s %s is %i, as JSON, with a detail and nothing else', async (method, path, status) => {
    const answer = await here().customer.send(method, path);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ detail: expect.any(String) as string });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it.each([
    '/api/v1/jobs',
    '/api/v1/usage',
    '/api/v1/usage/breakdown',
    '/api/v1/credit',
    '/api/v1/statement',
    '/api/v1/statement?format=csv',
    '/api/v1/queue/status',
    '/health',
    '/nothing',
    '/api/v1/jobs/1',
    '/api/v1/jobs?page=0',
    '/v1/transcribe',
  ])('no cache keeps the answer of %s, to a right key or a wrong one', async (path) => {
    const { customer, anyone } = here();
    for (const client of [customer, anyone.as('sk_live_wrong')])
      expect((await client.get(path)).headers.get('cache-control')).toBe('no-store');
  });

  it('no cache keeps a job or its transcript', async () => {
    const { customer, jobId } = here();
    for (const rest of ['', '/transcript', '/transcript?format=txt'])
      expect((await customer.get(`/api/v1/jobs/${jobId}${rest}`)).headers.get('cache-control')).toBe(
        'no-store',
      );
  });

  it.each([
    ['/docs', 'no-cache'],
    ['/docs/docs.css', 'public, max-age=3600'],
    ['/api/v1/openapi.json', 'public, max-age=3600'],
  ])('%s, which is everybody’s, says itself how long it may be kept: %s', async (path, control) => {
    const { headers } = await fetch(`${here().platform.baseUrl}${path}`);
    expect(headers.get('cache-control')).toBe(control);
  });

  it('a 405 names the methods that the path does take', async () => {
    expect((await here().customer.send('DELETE', '/api/v1/usage')).headers.get('allow')).toMatch(/GET/);
  });

  it('an unreadable body is 400 with a detail', async () => {
    const { customer, anyone, jobId } = here();
    const type = { 'Content-Type': 'application/json' };
    for (const answer of [
      await customer.send('POST', '/api/v1/transcribe', 'plain text'),
      await customer.send('POST', '/api/v1/transcribe', '{}', { 'Content-Type': 'multipart/form-data' }),
      await customer.send('PATCH', `/api/v1/jobs/${jobId}`, '{"speaker_names":', type),
      await customer.send('PATCH', `/api/v1/jobs/${jobId}`, '[]', type),
      await anyone.send('POST', '/api/v1/sign-up', 'email=a@example.com'),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { detail: expect.any(String) as string } });
    }
  });

  it('a crash is 500 and says nothing of what is inside', async () => {
    const { customer, jobId } = here();
    const answer = await here().whileBroken('jobs.jobs', () => customer.get(`/api/v1/jobs/${jobId}`));
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ detail: 'Something went wrong on our side. Try again.' });
    expect((await customer.get(`/api/v1/jobs/${jobId}`)).status).toBe(200);
  });

  it('what is no HTTP at all is answered 400 as JSON, and nothing falls over', async () => {
    const { anyone, platform } = here();
    const { port, hostname } = new URL(platform.baseUrl);
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write('\u0000\u0001nonsense\r\n\r\n'));
      socket.on('data', (bytes) => (text += String(bytes)));
      socket.on('close', () => resolve(text)).on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*\{"detail":"[^"]+"\}$/s);
    expect(answer).toMatch(/\r\ncache-control: no-store\r\n/i);
    expect((await anyone.get('/health')).status).toBe(200);
  });

  it('no answer says what it runs on', async () => {
    const { headers } = await here().customer.get('/api/v1/usage');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('server')).toBeNull();
  });

  it('timestamps are ISO 8601 in UTC that end in Z, ids are UUIDs of version 7', async () => {
    const { customer, jobId } = here();
    const job = await customer.job(jobId);
    expect(job['created_at']).toMatch(TIMESTAMP);
    expect(job.completed_at).toMatch(TIMESTAMP);
    expect(jobId).toMatch(UUID_V7);
    expect(customer.accountId).toMatch(UUID_V7);
  });
}
