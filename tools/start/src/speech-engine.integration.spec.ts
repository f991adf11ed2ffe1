import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { planSpeech } from './speech-engine';

const REPOSITORY = resolve(__dirname, '../../..');

describe('the speech engine of npm start', () => {
  let folder: string;
  let server: Server;
  let asked: number;
  let url: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'models-'));
    asked = 0;
    server = createServer((_request, response) => {
      asked += 1;
      response.end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    rmSync(folder, { recursive: true, force: true });
  });

  const plan = (environment: Record<string, string> = {}, now?: number) =>
    planSpeech(REPOSITORY, folder, { MODEL_URL: url, ...environment }, now);

  it('is faster-whisper where its model is here, and nobody is asked', async () => {
    mkdirSync(join(folder, 'faster-whisper-small'));
    writeFileSync(join(folder, 'faster-whisper-small', 'model.bin'), '');
    const { engines, env, fetches } = await plan();
    expect(engines).toContain('faster-whisper');
    expect({ env, fetches, asked }).toEqual({
      env: { RECOGNIZER: 'auto', MODEL_DIR: folder },
      fetches: false,
      asked: 0,
    });
  });

  it('is faster-whisper where its model can be fetched', async () => {
    expect(await plan()).toMatchObject({ env: { RECOGNIZER: 'auto' }, fetches: true });
  });

  it('is Moonshine where nothing answers, which is remembered for an hour', async () => {
    const nowhere = { MODEL_URL: 'http://127.0.0.1:6' };
    const { engines, env, remark } = await plan(nowhere, 1000);
    expect(engines).not.toContain('faster-whisper');
    expect(env).toEqual({ RECOGNIZER: 'auto', MODEL_DIR: folder });
    expect(remark).toMatch(/^Speech engine: Moonshine, English only; .* 127\.0\.0\.1:6 cannot be reached/);
    expect(JSON.parse(readFileSync(join(folder, 'unreachable.json'), 'utf8'))).toMatchObject({ at: 1000 });
    // Another address is another question, and the same one is asked again later.
    expect(await plan()).toMatchObject({ fetches: true });
    writeFileSync(
      join(folder, 'unreachable.json'),
      JSON.stringify({ address: `${url}/config.json`, at: 1000 }),
    );
    asked = 0;
    expect(await plan({}, 1000 + 3_599_000)).toMatchObject({ fetches: false });
    expect(asked).toBe(0);
    expect(await plan({}, 1000 + 3_601_000)).toMatchObject({ fetches: true });
  });

  it('is what RECOGNIZER says', async () => {
    expect(await plan({ RECOGNIZER: 'pocketsphinx' })).toMatchObject({ env: {}, fetches: false });
    const whisper = await plan({ RECOGNIZER: 'faster-whisper' });
    expect(whisper.engines).toContain('faster-whisper');
    expect(whisper.env).toEqual({ MODEL_DIR: folder });
    expect(asked).toBe(0);
  });
});
