import { WorkerAnnounced, type PayloadOf } from '@currawong/contracts';
import { connectMessaging, Notices, type MessagingConnection } from '@currawong/messaging';
import { startPlatform, type TestPlatform } from '@currawong/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, newCustomer } from './client';
import { wav } from './recordings';

// What the engines at work can recognize is what the gateway accepts and lists.
let platform: TestPlatform;
let customer: Client;
let connection: MessagingConnection;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['billing', 'jobs', 'worker', 'gateway'],
    env: { RECOGNIZER: 'null' },
  });
  customer = await newCustomer(platform, { creditAud: '1' });
  connection = await connectMessaging({ url: platform.nats.url, name: 'another-worker' });
}, 120_000);
afterAll(async () => {
  await connection?.close();
  await platform?.stop();
});

const announce = async (engine: Partial<PayloadOf<typeof WorkerAnnounced>>) => {
  const usual = { version: '1', model: 'small', slots: 1, languages: ['en'], detects_language: false };
  new Notices(connection).send(WorkerAnnounced, {
    worker: 'another',
    engine: 'whisper',
    ...usual,
    ...engine,
  });
  await connection.nats.flush();
};
const listed = async () => (await customer.get('/api/v1/languages')).body;
/** The gateway asks again after five seconds. */
const untilListed = async (codes: string[], auto: boolean) => {
  const wanted = JSON.stringify([codes, auto]);
  let last = '';
  for (const deadline = Date.now() + 15_000; Date.now() < deadline; await sleep(250)) {
    const { languages, auto: isDetected } = (await listed()) as {
      languages: { code: string }[];
      auto: boolean;
    };
    last = JSON.stringify([languages.map(({ code }) => code), isDetected]);
    if (last === wanted) return;
  }
  throw new Error(`listed is ${last}, not ${wanted}`);
};

it('a worker that starts says what its engine can', async () => {
  const deadline = Date.now() + 15_000;
  while ((await listed())['engine'] === null && Date.now() < deadline) await sleep(250);
  expect(await listed()).toMatchObject({ engine: { name: 'null', model: null } });
  expect((await customer.get('/v1/languages')).body).toEqual(await listed());
});

it('needs a key, like the rest', async () => {
  const answer = await new Client(platform.baseUrl, undefined).get('/api/v1/languages');
  expect(answer).toMatchObject({ status: 401, body: { detail: 'Invalid or missing API key' } });
});

it('what every engine can is accepted, and nothing else: 400 lists it', async () => {
  const { languages } = (await listed()) as { languages: { code: string; name: string }[] };
  expect(languages).toContainEqual({ code: 'en', name: 'English' });
  await announce({ languages: ['en'], detects_language: false });
  await untilListed(['en'], false);
  for (const language of ['auto', 'tlh'])
    expect(await customer.transcribe({ name: 'a.wav', bytes: wav(1) }, { language })).toMatchObject({
      status: 400,
      body: { detail: 'language: must be one of en' },
    });
  const id = await customer.submit({ name: 'a.wav', bytes: wav(1) }, { language: 'en-AU' });
  expect((await customer.finished(id))['language']).toBe('en');
}, 60_000);
