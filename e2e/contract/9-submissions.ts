import { TWO_SECONDS, UNKNOWN_ID, type Contract, type Customer } from './contract';

/** Other ways to hand a recording over; every answer is held against the published document. */
export function submissions(here: () => Contract): void {
  let someone: Customer;
  beforeAll(async () => {
    someone = await here().newCustomer({ creditAud: '2' });
  });
  const form = (fields: Record<string, string>, isWithFile = true) => {
    const made = new FormData();
    for (const [name, value] of Object.entries(fields)) made.set(name, value);
    if (isWithFile) made.set('file', new Blob([new Uint8Array(TWO_SECONDS.bytes)]), TWO_SECONDS.name);
    return made;
  };
  const submit = (body: FormData | object, headers: Record<string, string> = {}) =>
    body instanceof FormData
      ? someone.send('POST', '/api/v1/transcribe', body, headers)
      : someone.json('POST', '/api/v1/transcribe', body, headers);

  it('under one Idempotency-Key equal requests get one receipt, and another request is 409', async () => {
    const key = { 'Idempotency-Key': 'first' };
    const first = await submit(form({}), key);
    expect(first.status).toBe(200);
    expect((await submit(form({ language: 'en' }), key)).body).toEqual(first.body);
    expect(await submit(form({ num_speakers: '3' }), key)).toMatchObject({ status: 409 });
    expect(await submit(form({}), { 'Idempotency-Key': 'two words' })).toMatchObject({
      ...{ status: 400, body: { detail: expect.stringMatching(/^Idempotency-Key: /) as string } },
    });
  });

  it.each([
    [{ file_url: 'http://127.0.0.1/a.wav' }, 400, /^file_url: .*https/],
    [{ file_url: 'https://10.0.0.1/a.wav' }, 400, /^file_url: must lead to a public address/],
    [{ file_url: 'https://127.0.0.1:1024/a.wav' }, 400, /^file_url: the recording could not be fetched/],
    [{ file_url: 'https://example.com/a.wav', upload_id: UNKNOWN_ID }, 400, /^file, file_url, upload_id: /],
    [{ upload_id: UNKNOWN_ID }, 404, /^upload_id: /],
  ])('%j is %d, in JSON as in a form', async (fields, status, detail) => {
    for (const body of [fields, form(fields, false)])
      expect(await submit(body)).toMatchObject({
        ...{ status, body: { detail: expect.stringMatching(detail) as string } },
      });
  });

  it('an upload goes to the store directly, and is a job when it is submitted', async () => {
    const { bytes } = TWO_SECONDS;
    const wanted = { filename: 'a.wav', size_bytes: bytes.length };
    const { status, body } = await someone.json('POST', '/api/v1/uploads', wanted);
    expect(status).toBe(201);
    const { upload_id, parts } = body as { upload_id: string; parts: { url: string }[] };
    expect(await submit({ upload_id })).toMatchObject({
      ...{ status: 400, body: { detail: expect.stringMatching(/^upload_id: 1 of 1 parts/) as string } },
    });
    expect((await fetch(parts[0]!.url, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
    for (let repetition = 0; repetition < 2; repetition++)
      expect(await submit({ upload_id })).toMatchObject({ status: 200, body: { job_id: upload_id } });
    expect(await someone.finished(upload_id)).toMatchObject({ status: 'completed' });
    for (const [field, wrong] of Object.entries({ filename: 'a.exe', size_bytes: 2_000_000_000 }))
      expect(await someone.json('POST', '/api/v1/uploads', { ...wanted, [field]: wrong })).toMatchObject({
        ...{ status: 400, body: { detail: expect.stringMatching(new RegExp(`^${field}: `)) as string } },
      });
    expect((await here().anyone.json('POST', '/api/v1/uploads', wanted)).status).toBe(401);
  });
}
