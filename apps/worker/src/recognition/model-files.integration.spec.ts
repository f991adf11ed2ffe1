import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReachable } from './download';
import {
  findModel,
  modelAddress,
  modelFiles,
  ModelUnavailable,
  readManifest,
  type ModelFilesOptions,
} from './model-files';

const WEIGHTS = randomBytes(600_000);
const FILES: Record<string, Buffer> = { 'config.json': Buffer.from('{"a": 1}'), 'model.bin': WEIGHTS };
const TAG = '"first"';

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** Ranges where the entity tag is the one that the client knows, as file servers do. */
const asFileServersDo: Handler = (request, response, body) => {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const goesOn = from > 0 && request.headers['if-range'] === TAG;
  const part = goesOn ? body.subarray(from) : body;
  response.writeHead(goesOn ? 206 : 200, {
    etag: TAG,
    'content-length': part.length,
    ...(goesOn && { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` }),
  });
  response.end(request.method === 'HEAD' ? undefined : part);
};

describe('model files', () => {
  let folder: string;
  let server: Server;
  let handler: Handler;
  let asked: { path: string; range: string | undefined }[];
  let options: ModelFilesOptions;

  const manifest = (files: Record<string, { bytes?: number; sha256: string }> = filesOf(FILES)) => {
    const { port } = server.address() as AddressInfo;
    writeFileSync(
      join(folder, 'models.json'),
      JSON.stringify({ tiny: { url: `http://127.0.0.1:${port}/tiny`, files } }),
    );
  };
  const there = () => readdirSync(join(folder, 'cache', 'tiny')).sort();

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'models-'));
    asked = [];
    handler = asFileServersDo;
    server = createServer((request, response) => {
      const path = request.url!.split('/').pop()!;
      asked.push({ path, range: request.headers.range });
      const body = FILES[path];
      if (body) handler(request, response, body);
      else response.writeHead(404).end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    manifest();
    options = { cacheFolder: join(folder, 'cache'), name: 'tiny', manifestPath: join(folder, 'models.json') };
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    rmSync(folder, { recursive: true, force: true });
  });

  it('are fetched once, and then found', async () => {
    const told: [number, number][] = [];
    expect(findModel(options)).toBeUndefined();
    const found = await modelFiles({ ...options, onProgress: (...progress) => told.push(progress) });
    expect(WEIGHTS.equals(readFileSync(join(found, 'model.bin')))).toBe(true);
    expect(there()).toEqual(['config.json', 'model.bin']);
    expect(told.at(-1)).toEqual([WEIGHTS.length + 8, WEIGHTS.length + 8]);
    expect(told.length).toBeGreaterThan(2);
    expect(await modelFiles(options)).toBe(found);
    expect(asked).toHaveLength(2);
  });

  it('that somebody put there are used as they are, whatever they are called', async () => {
    const own = join(folder, 'own');
    mkdirSync(own);
    writeFileSync(join(own, 'model.bin'), 'weights');
    expect(await modelFiles({ ...options, cacheFolder: own, name: 'never-heard-of' })).toBe(own);
    expect(await modelFiles({ ...options, cacheFolder: folder, name: 'own' })).toBe(own);
    expect(asked).toEqual([]);
  });

  it('are fetched from a mirror where one is named', async () => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mirror/`;
    expect(modelAddress({ ...options, url })).toBe(`http://127.0.0.1:${port}/mirror/config.json`);
    await modelFiles({ ...options, url });
    expect(there()).toContain('model.bin');
  });

  it('whose download broke are fetched from where it broke, in the same run', async () => {
    let broken = false;
    handler = (request, response, body) => {
      if (broken || body !== WEIGHTS) return asFileServersDo(request, response, body);
      broken = true;
      response.writeHead(200, { etag: TAG, 'content-length': body.length });
      response.write(body.subarray(0, 200_000), () => setTimeout(() => response.destroy(), 100));
    };
    const found = await modelFiles(options);
    expect(WEIGHTS.equals(readFileSync(join(found, 'model.bin')))).toBe(true);
    const ranges = asked.filter(({ path }) => path === 'model.bin').map(({ range }) => range);
    expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
  });

  it('whose download was ended are fetched from there by the next run', async () => {
    partly(join(folder, 'cache', 'tiny'), WEIGHTS.subarray(0, 150_000), TAG);
    const found = await modelFiles(options);
    expect(asked.at(-1)).toEqual({ path: 'model.bin', range: 'bytes=150000-' });
    expect(WEIGHTS.equals(readFileSync(join(found, 'model.bin')))).toBe(true);
    expect(there()).toEqual(['config.json', 'model.bin']);
  });

  it.each([
    ['that has another file by now', '"another"', asFileServersDo],
    ['that knows no ranges', TAG, (_request, response, body) => response.writeHead(200).end(body)],
  ])('are fetched from the beginning from a server %s', async (_title, tag, as) => {
    handler = as;
    partly(join(folder, 'cache', 'tiny'), Buffer.alloc(150_000), tag);
    const found = await modelFiles(options);
    expect(WEIGHTS.equals(readFileSync(join(found, 'model.bin')))).toBe(true);
  });

  it('with another digest are refused and deleted', async () => {
    manifest({ ...filesOf(FILES), 'model.bin': { bytes: WEIGHTS.length, sha256: 'a'.repeat(64) } });
    await refused(/is not the file that was expected.*was deleted.*MODEL_URL/);
    expect(there()).toEqual(['config.json']);
  });

  it('of another length are refused before they are fetched', async () => {
    manifest({ ...filesOf(FILES), 'model.bin': { bytes: 7, sha256: 'a'.repeat(64) } });
    await refused(/model\.bin is 600000 bytes long instead of 7/);
  });

  it('without a digest are not fetched: the list of models is refused', async () => {
    writeFileSync(
      options.manifestPath,
      JSON.stringify({ tiny: { url: 'http://127.0.0.1/', files: { 'model.bin': { bytes: 7 } } } }),
    );
    await refused(/The list of models .* is not right at tiny\.files\.model\.bin\.sha256/);
  });

  it('that the server does not have are refused with its address', async () => {
    await refused(/http:\/\/127\.0\.0\.1:\d+\/tiny\/config\.json answers 404.*MODEL_URL/, () => {
      delete FILES['config.json'];
    });
    FILES['config.json'] = Buffer.from('{"a": 1}');
  });

  it('of a name that nobody knows are refused with the names known', async () => {
    options = { ...options, name: 'huge' };
    await refused(/The model huge is not in .* \(there are tiny\).*MODEL_MANIFEST/);
  });

  it.each([
    ['nobody listens', 'http://127.0.0.1:6', /127\.0\.0\.1:6 cannot be reached \(ECONNREFUSED\)/],
    [
      'the name does not exist',
      'http://models.invalid',
      /models\.invalid cannot be reached \(E(NOTFOUND|AI_AGAIN)\)/,
    ],
  ])('are refused where %s', async (_title, url, why) => {
    options = { ...options, url };
    await refused(why);
    expect(await isReachable(modelAddress(options), 3)).toBe(false);
  });

  it('are refused where the server says nothing, and where it stops in the middle', async () => {
    handler = () => undefined;
    options = { ...options, connectSeconds: 0.2, stallSeconds: 0.2 };
    await refused(/no answer from 127\.0\.0\.1:\d+ in 0\.2 s/);
    expect(await isReachable(modelAddress(options), 0.2)).toBe(false);
    // It answers, and brings nothing.
    handler = (_request, response) => response.writeHead(200).flushHeaders();
    await refused(/no answer|nothing came/);
  });

  it.each([
    ['while they are written', () => undefined],
    [
      'before anything is fetched',
      () =>
        manifest({
          ...filesOf(FILES),
          'model.bin': { bytes: 9_000_000_000_000_000, sha256: 'a'.repeat(64) },
        }),
    ],
  ])('are refused where the disk is full, %s', async (_title, arrange) => {
    mkdirSync(join(folder, 'cache', 'tiny'), { recursive: true });
    // Writing to this device is answered as a full disk answers.
    symlinkSync('/dev/full', join(folder, 'cache', 'tiny', 'config.json.part'));
    arrange();
    await refused(/the disk of .*cache is full .*MODEL_DIR/);
  });

  it('are fetched by one of two that want them at once', async () => {
    const found = await Promise.all([modelFiles(options), modelFiles(options)]);
    expect(new Set(found).size).toBe(1);
    expect(asked).toHaveLength(2);
  });

  it('are fetched although one that fetched them was killed', async () => {
    mkdirSync(join(folder, 'cache', 'tiny'), { recursive: true });
    const lock = join(folder, 'cache', 'tiny', 'fetching.lock');
    writeFileSync(lock, 'another machine');
    utimesSync(lock, 0, 0);
    await modelFiles(options);
    expect(there()).toEqual(['config.json', 'model.bin']);
  });

  it('are given up when the worker ends', async () => {
    handler = (_request, response, body) => {
      response.writeHead(200, { 'content-length': body.length });
      response.write(body.subarray(0, 1));
    };
    const ending = new AbortController();
    const given = modelFiles({ ...options, signal: ending.signal });
    setTimeout(() => ending.abort(new Error('the worker ends')), 200);
    await expect(given).rejects.toThrow('the worker ends');
    expect(existsSync(join(folder, 'cache', 'tiny', 'fetching.lock'))).toBe(false);
  });

  it('of our own list all have digests', () => {
    const models = readManifest(join(__dirname, '../../../../engines/models.json'));
    expect(Object.keys(models)).toContain('faster-whisper-small');
  });

  async function refused(why: RegExp, arrange: () => void = () => undefined): Promise<void> {
    arrange();
    const error = await modelFiles(options).then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toBeInstanceOf(ModelUnavailable);
    expect(error?.message).toMatch(why);
    expect(error?.message).not.toContain('\n');
    expect(existsSync(join(folder, 'cache', 'tiny', 'model.bin'))).toBe(false);
  }
});

function filesOf(files: Record<string, Buffer>): Record<string, { bytes: number; sha256: string }> {
  return Object.fromEntries(
    Object.entries(files).map(([path, body]) => [
      path,
      { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') },
    ]),
  );
}

function partly(folder: string, content: Buffer, tag: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.bin.part'), content);
  writeFileSync(join(folder, 'model.bin.part.etag'), tag);
}
