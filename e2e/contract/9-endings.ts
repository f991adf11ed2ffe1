import { TIMESTAMP, TWO_SECONDS, UNKNOWN_ID, type Contract, type Customer } from './contract';

/** Following a job to its end, and deleting it; every answer is held against the published document. */
export function endings(here: () => Contract): void {
  let someone: Customer;
  let id: string;
  beforeAll(async () => {
    someone = await here().newCustomer({ creditAud: '1' });
    id = await someone.submit(TWO_SECONDS);
  });

  it('the events of a job end with its end, and whoever has seen that is answered 204', async () => {
    const path = `/api/v1/jobs/${id}/events`;
    const { status, headers, body } = await someone.get(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = String(body['text']).trim().split('\n\n');
    const last = /^id: (.*)\nevent: status\ndata: (.*)$/.exec(events.at(-1)!)!;
    const { transcription: _text, diarization: _turns, ...job } = await someone.job(id);
    expect(JSON.parse(last[2]!)).toMatchObject({ id, status: 'completed', completed_at: job.completed_at });
    const seen = await someone.send('GET', path, undefined, { 'Last-Event-ID': last[1]! });
    expect(seen.status).toBe(204);
    expect((await here().other.get(path)).status).toBe(404);
    expect((await here().anyone.get(path)).status).toBe(401);
  });

  it('a deletion leaves a receipt, and the job is 404', async () => {
    const path = `/api/v1/jobs/${id}`;
    expect((await here().other.send('DELETE', path)).status).toBe(404);
    expect((await someone.get(`${path}/deletion`)).status).toBe(404);
    const deleted = await someone.send('DELETE', path);
    expect(deleted).toMatchObject({
      status: 200,
      body: { job_id: id, reason: 'client', requested_at: expect.stringMatching(TIMESTAMP) as string },
    });
    expect((await someone.get(path)).status).toBe(404);
    expect((await someone.get(`${path}/events`)).status).toBe(404);
    const receipt = async () => (await someone.get(`${path}/deletion`)).body;
    for (let tries = 0; tries < 100 && (await receipt())['erased_at'] === null; tries++)
      await new Promise((resolve) => setTimeout(resolve, 300));
    const final = await receipt();
    expect(final['erased_at']).toMatch(TIMESTAMP);
    expect((await someone.send('DELETE', path)).body).toEqual(final);
    expect((await someone.get('/api/v1/deletions')).body).toMatchObject({ deletions: [final], total: 1 });
    expect((await someone.get('/api/v1/deletions?page_size=0')).status).toBe(400);
    expect((await someone.send('DELETE', `/api/v1/jobs/${UNKNOWN_ID}`)).status).toBe(404);
    expect((await here().other.get(`${path}/deletion`)).status).toBe(404);
  });
}
