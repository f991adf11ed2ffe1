import { startPlatform, type TestPlatform } from '@currawong/testing';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, newCustomer } from './client';
import { wav } from './recordings';

jest.setTimeout(120_000);

const DRAIN_DELAY_SECONDS = 5;
const CLIENTS = 16;

let platform: TestPlatform;
let balancer: Balancer;
let customer: Client;

beforeAll(async () => {
  platform = await startPlatform({
    services: ['billing', 'jobs', 'gateway', 'gateway-2', 'worker'],
    env: { RECOGNIZER: 'null', DRAIN_DELAY_SECONDS: String(DRAIN_DELAY_SECONDS), LOG_LEVEL: 'warn' },
  });
  customer = await newCustomer(platform, { freeMinutes: 90 });
  balancer = await Balancer.before(platform, ['gateway', 'gateway-2']);
});
afterAll(async () => {
  await balancer?.close();
  await platform?.stop();
});

test('gateways are replaced one after the other under clients that keep their connections, and no request fails', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const failures: string[] = [];
  let answered = 0;
  let running = true;
  const client = async () => {
    while (running) {
      try {
        const { statusCode = 0 } = await exchange('GET', `${balancer.url}/api/v1/jobs`, agent);
        answered++;
        if (statusCode !== 200) failures.push(`status ${statusCode}`);
      } catch (error) {
        failures.push(String(error));
      }
      await sleep(5);
    }
  };
  const load = Promise.all(Array.from({ length: CLIENTS }, client));
  try {
    for (const gateway of ['gateway', 'gateway-2']) {
      await sleep(1_000);
      const upload = slowUpload(
        `${platform.baseUrlOf(gateway)}/api/v1/transcribe`,
        (DRAIN_DELAY_SECONDS + 3) * 1_000,
      );
      await sleep(500);
      platform.kill(gateway, 'SIGTERM');
      const toldAt = performance.now();
      const readiness = () => fetch(`${platform.metricsUrls[gateway]}/health/ready`);
      let ready = await readiness();
      for (; ready.ok; ready = await readiness()) await sleep(100);
      expect([ready.status, await ready.json()]).toEqual([503, { detail: 'shutting down' }]);
      // Whoever has not noticed yet is served, and asked to go.
      const late = await exchange('GET', `${platform.baseUrlOf(gateway)}/api/v1/jobs`, agent);
      expect([late.statusCode, late.headers.connection]).toEqual([200, 'close']);
      expect(performance.now() - toldAt).toBeLessThan(DRAIN_DELAY_SECONDS * 1_000);
      expect(await upload).toBe(200);
      await platform.waitReady(gateway);
      await balancer.untilReady(gateway);
    }
  } finally {
    running = false;
    await load;
    agent.destroy();
  }
  console.info(`${answered} requests over ${CLIENTS} kept connections while both gateways were replaced`);
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(500);
});

function exchange(method: string, url: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { method, agent, headers: { 'X-API-Key': customer.apiKey } }, (response) => {
      response
        .on('error', reject)
        .on('end', () => resolve(response))
        .resume();
    })
      .on('error', reject)
      .end();
  });
}

/** A recording that takes so long to arrive. @returns the status of the answer */
async function slowUpload(url: string, milliseconds: number): Promise<number> {
  const boundary = 'a-slow-recording';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="slow.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), wav(20), Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const upload = request(url, {
    method: 'POST',
    headers: {
      'X-API-Key': customer.apiKey,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': body.length,
    },
  });
  const answer = once(upload, 'response') as Promise<[IncomingMessage]>;
  const steps = 20;
  for (let step = 0; step < steps; step++) {
    upload.write(body.subarray((body.length * step) / steps, (body.length * (step + 1)) / steps));
    await sleep(milliseconds / steps);
  }
  upload.end();
  const [response] = await answer;
  response.resume();
  return response.statusCode ?? 0;
}

/** As a cluster's does it: asks now and then who is ready, and gives new connections to those alone. */
class Balancer {
  private readonly sockets = new Set<Socket>();
  private ready: string[] = [];
  private next = 0;
  private readonly asking: NodeJS.Timeout;

  private constructor(
    private readonly platform: TestPlatform,
    private readonly names: readonly string[],
    private readonly server: Server,
  ) {
    this.asking = setInterval(() => void this.ask(), 1_000);
  }

  static async before(platform: TestPlatform, names: readonly string[]): Promise<Balancer> {
    const server = createServer((socket) => balancer.pass(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const balancer = new Balancer(platform, names, server);
    await balancer.ask();
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async untilReady(name: string): Promise<void> {
    for (let tries = 0; tries < 200 && !this.ready.includes(name); tries++) await sleep(100);
  }

  async close(): Promise<void> {
    clearInterval(this.asking);
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(inside: Socket): void {
    const name = this.ready[this.next++ % this.ready.length];
    if (name === undefined) return void inside.destroy();
    const outside = connect(Number(new URL(this.platform.baseUrlOf(name)).port), '127.0.0.1');
    const ends: [Socket, Socket][] = [
      [inside, outside],
      [outside, inside],
    ];
    for (const [socket, other] of ends) {
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.end();
      });
    }
    inside.pipe(outside).pipe(inside);
  }

  private async ask(): Promise<void> {
    const asked = await Promise.all(
      this.names.map((name) =>
        fetch(`${this.platform.metricsUrls[name]}/health/ready`).then(
          (response) => response.ok,
          () => false,
        ),
      ),
    );
    this.ready = this.names.filter((_, index) => asked[index]);
  }
}
