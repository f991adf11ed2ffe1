import {
  freshBucket,
  objectStoreClient,
  startPlatform,
  type FreshBucket,
  type TestPlatform,
} from '@currawong/testing';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { newCustomer, type Client } from './client';
import { wav } from './recordings';

jest.setTimeout(240_000);

const RACES = 50;

/** What lies between the services and the store, and can be cut. */
class StoreLine {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(private readonly server: Server) {}

  static async to(endpoint: string): Promise<StoreLine> {
    const { hostname, port } = new URL(endpoint);
    const server = createServer();
    const line = new StoreLine(server);
    server.on('connection', (near) => {
      if (line.isCut) return near.destroy();
      const far = connect(Number(port), hostname);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        line.sockets.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy()).on('close', () => line.sockets.delete(one) && other.destroy());
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return line;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut();
    this.server.close();
  }
}

let bucket: FreshBucket;
let line: StoreLine;
let platform: TestPlatform;
let customer: Client & { accountId: string };

beforeAll(async () => {
  bucket = await freshBucket();
  line = await StoreLine.to(bucket.endpoint);
  platform = await startPlatform({
    s3: { ...bucket, endpoint: line.endpoint },
    env: {
      RECOGNIZER: 'null',
      NULL_ENGINE_SLEEP_FACTOR: '0.1',
      WORK_LEASE_SECONDS: '3',
      SWEEP_INTERVAL_SECONDS: '0.2',
    },
  });
  customer = await newCustomer(platform, { creditAud: '10' });
}, 120_000);
afterAll(async () => {
  await platform?.stop();
  line?.close();
  await bucket?.drop();
});

const submit = (seconds: number) => customer.submit({ name: 'a.wav', bytes: wav(seconds, 440) });
const remove = (id: string) => customer.send('DELETE', `/api/v1/jobs/${id}`);

async function storedOf(...ids: string[]): Promise<string[]> {
  const found: string[] = [];
  const objects = objectStoreClient(bucket).listObjectsV2(bucket.bucket, '', true);
  for await (const { name } of objects as AsyncIterable<{ name: string }>)
    if (ids.some((id) => name.includes(id))) found.push(name);
  return found;
}

const erased = (id: string) => customer.erased(id, 50);

it(`of ${RACES} jobs that are deleted as they end, each is charged and gone, or cancelled and free`, async () => {
  const spent = async () => 10 - Number((await customer.get('/api/v1/usage')).body['balance_aud']);
  const before = await spent();
  const outcomes: ('charged' | 'cancelled')[] = [];
  const ids: string[] = [];
  // The engine needs a tenth of a second: the requests are spread over the time around the end.
  const race = async (index: number) => {
    const id = await submit(1);
    ids.push(id);
    await customer.until(id, ({ status }) => status !== 'pending');
    await sleep((index % 10) * 60);
    const answer = await remove(id);
    expect(answer.status).toBe(200);
    if (answer.body['cancelled_at'] === null) {
      expect((await customer.get(`/api/v1/jobs/${id}`)).status).toBe(404);
      outcomes.push('charged');
    } else {
      const job = await customer.finished(id, 20);
      expect(job).toMatchObject({ status: 'failed', error_message: 'Cancelled by the client', cost_aud: 0 });
      outcomes.push('cancelled');
    }
  };
  for (let index = 0; index < RACES; index += 5)
    await Promise.all([0, 1, 2, 3, 4].map((offset) => race(index + offset)));
  await Promise.all(ids.map((id) => erased(id)));
  const charged = outcomes.filter((outcome) => outcome === 'charged').length;
  console.info(`${charged} of ${RACES} had ended and were charged, ${RACES - charged} were cancelled`);
  // A second of audio, two cents a minute: 333.33… micro-AUD.
  expect((await spent()) - before).toBeCloseTo(charged * 0.000333, 6);
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
  expect(await storedOf(...ids)).toEqual([]);
});

it('a worker that stood still wakes after the job was cancelled and erased, and leaves nothing', async () => {
  const id = await submit(30);
  await customer.until(id, (job) => job.status === 'processing');
  platform.kill('worker', 'SIGSTOP');
  try {
    await remove(id);
    await erased(id);
    expect(await storedOf(id)).toEqual([]);
    // Its engine would be done by now, and the lease over.
    await sleep(4_000);
  } finally {
    platform.kill('worker', 'SIGCONT');
  }
  // It is none the worse for it; and by then it is done with what it had.
  await customer.finished(await submit(1));
  for (let tries = 0; tries < 50 && (await storedOf(id)).length > 0; tries++) await sleep(200);
  expect(await storedOf(id)).toEqual([]);
  expect(await customer.job(id)).toMatchObject({ status: 'failed', cost_aud: 0 });
});

it('a job that is deleted while jobs is killed is erased once it is back', async () => {
  const id = await submit(1);
  await customer.finished(id);
  line.cut();
  const answer = await remove(id);
  platform.kill('jobs', 'SIGKILL');
  line.mend();
  expect(answer.status).toBe(200);
  await platform.waitReady('jobs');
  await erased(id);
  expect(await storedOf(id)).toEqual([]);
  expect((await customer.get(`/api/v1/jobs/${id}`)).status).toBe(404);
});

it('with the store away it is hidden and told at once, and erased when the store is back', async () => {
  const [ended, running] = [await submit(1), await submit(60)];
  await customer.finished(ended);
  await customer.until(running, (job) => job.status === 'processing');
  line.cut();
  for (const id of [ended, running]) {
    const { status, body } = await remove(id);
    expect([status, body['erased_at']]).toEqual([200, null]);
  }
  expect((await customer.get(`/api/v1/jobs/${ended}`)).status).toBe(404);
  expect(await customer.job(running)).toMatchObject({ status: 'failed', cost_aud: 0 });
  await sleep(3_000);
  expect((await storedOf(ended, running)).length).toBeGreaterThan(0);
  line.mend();
  const mendedAtMs = performance.now();
  const receipts = await Promise.all([erased(ended), erased(running)]);
  console.info(`erased ${((performance.now() - mendedAtMs) / 1_000).toFixed(1)} s after the store was back`);
  expect(await storedOf(ended, running)).toEqual([]);
  expect(receipts[0]['objects']).toContainEqual({ kind: 'recording', count: 1, bytes: wav(1).length });
});

it('the books add up, and nothing is stored of what was deleted', async () => {
  expect(await platform.admin('ledger', 'check')).toMatchObject({ problems: [], open_holds: [] });
  const { deletions } = (await customer.get('/api/v1/deletions?page_size=100')).body as {
    deletions: { job_id: string; erased_at: string | null }[];
  };
  expect(deletions.length).toBeGreaterThan(RACES);
  expect(deletions.filter(({ erased_at }) => erased_at === null)).toEqual([]);
  expect(await storedOf(...deletions.map(({ job_id }) => job_id))).toEqual([]);
});
