import type { Contract } from './contract';
import { UNKNOWN_ID } from './contract';

export function health(here: () => Contract): void {
  it.each(['/health', '/api/v1/health', '/v1/health'])('%s needs no key', async (path) => {
    expect(await here().anyone.get(path)).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it.each(['billing', 'jobs'])(
    'while %s is down /health is 503 with a detail that names it, and it comes back by itself',
    async (service) => {
      const { anyone, platform } = here();
      await platform.halt(service);
      try {
        const down = await until(here(), 503);
        expect(down.body).toEqual({ detail: expect.stringContaining(service) as string });
        expect((await anyone.get('/api/v1/health')).status).toBe(503);
        expect(await anyone.get('/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } });
      } finally {
        await platform.resume(service);
      }
      expect((await until(here(), 200)).body).toEqual({ status: 'ok' });
    },
    60_000,
  );

  it('/health/live says only that the process is up', async () => {
    expect(await here().anyone.get('/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('/queue/status counts the caller’s own jobs; without a key it is 401', async () => {
    const { anyone, customer } = here();
    expect((await customer.get('/queue/status')).body).toEqual({ status: 'ok', pending: 0, processing: 0 });
    expect(await anyone.get('/queue/status')).toMatchObject({ status: 401 });
  });

  it('/status/{id} says COMPLETE of a completed job', async () => {
    const { customer, jobId } = here();
    for (const prefix of ['', '/api/v1', '/v1'])
      expect((await customer.get(`${prefix}/status/${jobId}`)).body).toEqual({ status: 'COMPLETE' });
  });

  it.each(['unknown', 'malformed', 'foreign'])('/status/{id} is 404 for an id that is %s', async (kind) => {
    const { other, jobId } = here();
    const id = kind === 'unknown' ? UNKNOWN_ID : kind === 'malformed' ? '7' : jobId;
    expect(await other.get(`/status/${id}`)).toMatchObject({
      status: 404,
      body: { detail: 'Job not found' },
    });
  });
}

async function until({ anyone }: Contract, status: number) {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const answer = await anyone.get('/health');
    if (answer.status === status) return answer;
    if (Date.now() > deadline) throw new Error(`/health is still ${answer.status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
