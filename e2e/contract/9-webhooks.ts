import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { signedUp } from './2-authentication';
import { TIMESTAMP, TWO_SECONDS, UNKNOWN_ID, type Contract, type ContractClient } from './contract';

/** Being told of the ends of jobs; every answer is held against the published document. */
export function webhooks(here: () => Contract): void {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  let receiver: Server;
  let url: string;
  let anyone: ContractClient;
  let client: ContractClient;
  let headers: Record<string, string>;
  const signedIn = (method: string, path: string, body?: unknown) =>
    body === undefined
      ? anyone.send(method, `/api/v1/webhooks${path}`, undefined, headers)
      : anyone.json(method, `/api/v1/webhooks${path}`, body, headers);

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        received.push({ headers: request.headers, body });
        response.end('ok');
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    anyone = here().anyone;
    const { cookie, csrf } = await signedUp(anyone);
    headers = { cookie, 'X-CSRF-Token': csrf };
    const key = await anyone.json('POST', '/api/v1/keys', { name: 'hooks' }, headers);
    client = anyone.as(String(key.body['api_key']));
  });
  afterAll(() => receiver?.close());

  it('there is no address until one is set, and only an allowed one can be', async () => {
    expect(await signedIn('GET', '')).toMatchObject({ status: 200, body: { url: null, disabled: false } });
    expect(await signedIn('POST', '/test')).toMatchObject({ status: 409 });
    expect(await signedIn('PUT', '', { url: 'https://169.254.169.254/' })).toMatchObject({
      status: 400,
      body: { detail: 'url: must lead to a public address on the internet' },
    });
    expect(await signedIn('PUT', '', { url: 7 })).toMatchObject({ status: 400 });
    expect(await signedIn('PUT', '', { url })).toMatchObject({ status: 200, body: { url } });
    expect(await client.send('GET', '/api/v1/webhooks')).toMatchObject({ status: 401 });
  });

  it('the end of a job is delivered, listed, shown and sent again', async () => {
    const id = await client.submit(TWO_SECONDS);
    await client.finished(id);
    const list = () => client.get(`/api/v1/webhooks/deliveries?job_id=${id}&status=delivered`);
    let deliveries: Record<string, unknown>[] = [];
    for (let tries = 0; deliveries.length === 0 && tries < 150; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      deliveries = (await list()).body['deliveries'] as Record<string, unknown>[];
    }
    expect(deliveries).toEqual([
      expect.objectContaining({
        type: 'job.completed',
        job_id: id,
        url,
        created_at: expect.stringMatching(TIMESTAMP) as string,
      }),
    ]);
    const { secret } = (await signedIn('GET', '/secret')).body as { secret: string };
    const event = new Webhook(secret).verify(
      received[0]!.body,
      received[0]!.headers as Record<string, string>,
    );
    const path = `/api/v1/webhooks/deliveries/${String(deliveries[0]!['id'])}`;
    expect(await client.get(path)).toMatchObject({ status: 200, body: { payload: event, attempt_count: 1 } });
    expect(await client.send('POST', `${path}/replay`)).toMatchObject({ status: 202 });
    expect(await here().other.get(path)).toMatchObject({
      status: 404,
      body: { detail: 'Delivery not found' },
    });
    expect(await client.get(`/api/v1/webhooks/deliveries/${UNKNOWN_ID}`)).toMatchObject({ status: 404 });
    expect(await client.get('/api/v1/webhooks/deliveries?status=lost')).toMatchObject({ status: 400 });
  });

  it('a test says how it went, and a rotation gives another secret', async () => {
    expect(await signedIn('POST', '/test')).toMatchObject({ status: 200, body: { status: 'delivered' } });
    const before = (await signedIn('GET', '/secret')).body;
    const after = (await signedIn('POST', '/secret/rotation')).body;
    expect(after['secret']).not.toBe(before['secret']);
    expect(after['previous_expires_at']).toMatch(TIMESTAMP);
  });
}
