import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { passOn } from './pass-on';

const LEAST = { minBytesPerSecond: 10_000, windowSeconds: 0.5 };
const CHUNK = Buffer.alloc(65_536);

let server: http.Server;
let body: Readable;
let sent: Promise<'sent' | 'broken off'>;

beforeEach(async () => {
  server = http.createServer((_request, response) => {
    sent = passOn(body, response, LEAST).then(
      () => 'sent',
      () => 'broken off',
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** An answer of which nothing has been read but its headers. */
async function answer(): Promise<http.IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const request = http.get({ port, host: '127.0.0.1', agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

const endless = () => new Readable({ read: (): void => void body.push(CHUNK) });

it('a client that stops reading is cut off, and what it read from is closed', async () => {
  body = endless();
  await answer();
  expect(await sent).toBe('broken off');
  expect(body.destroyed).toBe(true);
});

it('a client that reads a trickle is cut off', async () => {
  body = endless();
  const response = await answer();
  const trickle = setInterval(() => response.read(100), 50);
  expect(await sent).toBe('broken off');
  clearInterval(trickle);
});

it('a client that takes its time but keeps going gets everything', async () => {
  // More than the kernels hold between the two.
  const chunks = 400;
  body = Readable.from(Array.from({ length: chunks }, () => CHUNK));
  const response = await answer();
  const beganMs = performance.now();
  let receivedBytes = 0;
  for await (const chunk of response) {
    const { length } = chunk as Buffer;
    receivedBytes += length;
    await sleep((6 * length) / CHUNK.length);
  }
  expect(receivedBytes).toBe(chunks * CHUNK.length);
  expect(performance.now() - beganMs).toBeGreaterThan(3 * LEAST.windowSeconds * 1000);
  expect(await sent).toBe('sent');
});

it('a client is not blamed for a slow store', async () => {
  async function* slowly() {
    for (let n = 0; n < 4; n++) {
      yield Buffer.alloc(10);
      await sleep(LEAST.windowSeconds * 1000);
    }
  }
  body = Readable.from(slowly());
  const response = await answer();
  let receivedBytes = 0;
  for await (const chunk of response) receivedBytes += (chunk as Buffer).length;
  expect(receivedBytes).toBe(40);
  expect(await sent).toBe('sent');
});
