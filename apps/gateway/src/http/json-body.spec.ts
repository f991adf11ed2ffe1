import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { readJsonBody } from './json-body';
import type { RefusalException } from './refusal.exception';

const schema = z.object({ name: z.string('must be a text').min(1, 'must not be empty') });

let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    readJsonBody(request, schema).then(
      (body) => response.end(JSON.stringify(body)),
      (error: RefusalException) =>
        response.writeHead(error.getStatus()).end(`${error.refusal.code}: ${error.refusal.detail}`),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function answerTo(
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<[number, string]> {
  const { port } = server.address() as AddressInfo;
  const request = send({
    ...{ port, host: '127.0.0.1', method: 'POST' },
    headers: { 'content-type': 'application/json', ...headers },
  });
  request.on('error', () => undefined);
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const bytes of response) text += String(bytes);
  return [response.statusCode!, text];
}

it.each(['application/json', 'Application/JSON; charset=utf-8'])('takes JSON sent as %s', async (type) => {
  expect(await answerTo('{"name":"Zoë"}', { 'content-type': type })).toEqual([200, '{"name":"Zoë"}']);
});

it.each([
  ['{"name":""}', 'invalid_parameter: name: must not be empty'],
  ['{}', 'invalid_parameter: name: must be a text'],
  ['', 'body_unreadable: The body is not JSON in UTF-8.'],
  ['{', 'body_unreadable: The body is not JSON in UTF-8.'],
  [Buffer.from([0x22, 0xff, 0x22]), 'body_unreadable: The body is not JSON in UTF-8.'],
  ['[]', 'body_unreadable: The body must be a JSON object.'],
  ['null', 'body_unreadable: The body must be a JSON object.'],
  [`{"name":"${'a'.repeat(64_000)}"}`, 'body_unreadable: The body has more than 64000 bytes.'],
])('refuses %.20j and says why', async (body, text) => {
  expect(await answerTo(body)).toEqual([400, text]);
});

it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
  'refuses what is sent as "%s": a form on another site could send it',
  async (type) => {
    const [status, text] = await answerTo('{"name":"a"}', { 'content-type': type });
    expect([status, text]).toEqual([400, expect.stringContaining('Content-Type: application/json')]);
  },
);

it('refuses a packed body instead of unpacking whatever it holds', async () => {
  expect(await answerTo('{"name":"a"}', { 'content-encoding': 'gzip' })).toEqual([
    400,
    'body_unreadable: Send the body without a Content-Encoding.',
  ]);
});
