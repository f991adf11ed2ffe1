import { TWO_SECONDS, type Contract, type Customer } from './contract';

/** The routes for programs made for OpenAI's API; every answer is held against the published document. */
export function openAi(here: () => Contract): void {
  let someone: Customer;
  beforeAll(async () => {
    someone = await here().newCustomer({ creditAud: '1' });
  });
  const PATH = '/v1/audio/transcriptions';
  const form = (fields: Record<string, string> = {}, name = TWO_SECONDS.name) => {
    const made = new FormData();
    made.set('model', 'whisper-1');
    for (const [field, value] of Object.entries(fields)) made.set(field, value);
    made.set('file', new Blob([new Uint8Array(TWO_SECONDS.bytes)]), name);
    return made;
  };
  const ask = (fields?: Record<string, string>, name?: string) =>
    someone.send('POST', PATH, form(fields, name));

  it.each([
    ['json', 'application/json'],
    ['verbose_json', 'application/json'],
    ['diarized_json', 'application/json'],
    ['text', 'text/plain'],
    ['srt', 'application/x-subrip'],
    ['vtt', 'text/vtt'],
  ])('the text comes as %s', async (response_format, type) => {
    const { status, headers } = await ask({ response_format });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain(type);
    expect((await someone.job(headers.get('x-currawong-job-id')!)).status).toBe('completed');
  });

  it('and as a stream', async () => {
    const { status, headers, body } = await ask({ stream: 'true' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(body['text']).toContain('transcript.text.done');
  });

  it('a bearer’s token is the key', async () => {
    const { anyone } = here();
    const answer = await anyone.send('GET', '/v1/models', undefined, {
      Authorization: `Bearer ${someone.apiKey}`,
    });
    expect(answer).toMatchObject({ status: 200, body: { object: 'list' } });
    expect((await someone.get('/v1/models/whisper-1')).body).toMatchObject({ object: 'model' });
  });

  it('errors have our sentence, and the form that those programs read', async () => {
    const poor = await here().newCustomer();
    const cases = [
      [await ask({ response_format: 'pdf' }), 400, 'response_format'],
      [await ask({}, 'a.txt'), 400, 'file'],
      [await here().anyone.send('POST', PATH, form()), 401, null],
      [await poor.send('POST', PATH, form()), 402, null],
      [await someone.get('/v1/models/gpt-4'), 404, null],
      [await someone.send('POST', '/v1/audio/translations'), 404, null],
    ] as const;
    for (const [{ status, body }, expected, param] of cases) {
      expect(status).toBe(expected);
      expect(Object.keys(body).sort()).toEqual(['detail', 'error']);
      expect(body['error']).toMatchObject({ message: body['detail'], param });
    }
  });
}
