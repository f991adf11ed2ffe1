import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Client } from 'minio';
import { freshBucket, objectStoreClient, type FreshBucket } from '@currawong/testing';
import { createObjectStore, ObjectNotFound, ObjectTooLarge, type ObjectStore } from '.';

// Time and memory are the machine's as well: what is measured in one bad moment is measured again, twice at the most.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const mebibyte = 1024 * 1024;
const contentType = 'audio/wav';

let settings: FreshBucket;
let store: ObjectStore;
let observer: Client;

beforeAll(async () => {
  settings = await freshBucket();
  store = createObjectStore(settings);
  observer = objectStoreClient(settings);
});
afterAll(() => store.close());

/** `sizeBytes` of content that differs from chunk to chunk; `act` runs before each chunk. */
async function* content(sizeBytes: number, act?: (sentBytes: number) => unknown): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(64 * 1024);
  for (let sent = 0; sent < sizeBytes;) {
    await act?.(sent);
    chunk.writeUInt32LE(sent / chunk.length, 0);
    const piece = Buffer.from(chunk.subarray(0, Math.min(chunk.length, sizeBytes - sent)));
    sent += piece.length;
    yield piece;
  }
}

async function sha256Of(source: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of source) hash.update(chunk);
  return hash.digest('hex');
}

async function expectNothingUnder(key: string) {
  await expect(store.stat(key)).rejects.toBeInstanceOf(ObjectNotFound);
  const { uploads } = await observer.listIncompleteUploadsQuery(settings.bucket, '', '', '', '');
  expect(uploads).toEqual([]);
}

describe('what is put can be read back', () => {
  const sizes = [0, 1, 8 * mebibyte - 1, 8 * mebibyte, 8 * mebibyte + 1, 20 * mebibyte];
  it.each(sizes)('a source of %d bytes, its length unknown', async (sizeBytes) => {
    const stored = await store.put(`unknown/${sizeBytes}`, content(sizeBytes), { contentType });
    const sha256 = await sha256Of(content(sizeBytes));
    expect(stored).toEqual({ sizeBytes, sha256, etag: expect.stringMatching(/\w/) as string });
    expect(await sha256Of((await store.get(`unknown/${sizeBytes}`)) as AsyncIterable<Buffer>)).toBe(sha256);
    expect(await store.stat(`unknown/${sizeBytes}`)).toMatchObject({ sizeBytes, contentType });
  });

  it.each([
    [5 * mebibyte, 5 * mebibyte],
    [5 * mebibyte, 5 * mebibyte + 3],
    [30 * mebibyte, 50 * mebibyte],
    [150 * mebibyte + 7, 151 * mebibyte],
    [4 * mebibyte, 4 * mebibyte],
  ])('a source that promises %d bytes and delivers %d', async (atLeastBytes, sizeBytes) => {
    const key = `promised/${sizeBytes}`;
    const stored = await store.put(key, content(sizeBytes), { contentType, atLeastBytes });
    expect(stored).toMatchObject({ sizeBytes, sha256: await sha256Of(content(sizeBytes)) });
    expect(await sha256Of((await store.get(key)) as AsyncIterable<Buffer>)).toBe(stored.sha256);
  });
});

describe('what fails leaves neither an object nor an unfinished upload', () => {
  const modes = [
    ['gathered', 0],
    ['streamed', 30 * mebibyte],
  ] as const;
  const points = [0, 1 * mebibyte, 8 * mebibyte, 9 * mebibyte, 25 * mebibyte];
  const cases = modes.flatMap(([name, atLeastBytes]) =>
    points.map((at) => [name, at, atLeastBytes] as const),
  );

  it.each(cases)('a %s source that throws after %d bytes', async (name, at, atLeastBytes) => {
    const failing = content(32 * mebibyte, (sent) => {
      if (sent >= at) throw new Error('the microphone fell');
    });
    const key = `throws/${name}/${at}`;
    await expect(store.put(key, failing, { contentType, atLeastBytes })).rejects.toThrow(
      'the microphone fell',
    );
    await expectNothingUnder(key);
  });

  it.each(cases)(
    'a %s Readable that is destroyed without an error after %d bytes',
    async (name, at, atLeastBytes) => {
      const source: Readable = Readable.from(
        content(32 * mebibyte, (sent) => {
          if (sent >= at) source.destroy();
        }),
      );
      const key = `destroyed/${name}/${at}`;
      await expect(store.put(key, source, { contentType, atLeastBytes })).rejects.toMatchObject({
        code: 'ERR_STREAM_PREMATURE_CLOSE',
      });
      await expectNothingUnder(key);
    },
  );

  it.each(cases)(
    'a %s source that stalls after %d bytes, when the signal fires',
    async (name, at, atLeastBytes) => {
      const controller = new AbortController();
      const stalling = content(32 * mebibyte, async (sent) => {
        if (sent < at) return;
        setTimeout(() => controller.abort(new Error('the client left')), 50);
        await new Promise(() => undefined);
      });
      const key = `stalls/${name}/${at}`;
      const put = store.put(key, stalling, { contentType, atLeastBytes, signal: controller.signal });
      await expect(put).rejects.toThrow('the client left');
      await expectNothingUnder(key);
    },
  );

  it('a source that was destroyed before it began', async () => {
    const source = Readable.from(content(mebibyte));
    source.destroy();
    await expect(store.put('gone', source, { contentType })).rejects.toThrow();
    await expectNothingUnder('gone');
  });

  it('a source that delivers less than it promised', async () => {
    const put = store.put('short', content(20 * mebibyte), { contentType, atLeastBytes: 21 * mebibyte });
    await expect(put).rejects.toThrow('ended before the bytes it had promised');
    await expectNothingUnder('short');
  });

  it('a source larger than allowed', async () => {
    const put = store.put('large', content(30 * mebibyte), { contentType, maxBytes: 20 * mebibyte });
    await expect(put).rejects.toEqual(new ObjectTooLarge(20 * mebibyte));
    await expectNothingUnder('large');
  });

  it('an upload that passes its deadline, although the source delivers steadily', async () => {
    const steady = content(30 * mebibyte, () => sleep(20));
    await expect(store.put('late', steady, { contentType, deadlineMs: 400 })).rejects.toThrow('deadline');
    await expectNothingUnder('late');
  });

  it('a signal that had fired before', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(store.put('before', content(1), { contentType, signal })).rejects.toThrow('too late');
    await expectNothingUnder('before');
  });
});

describe('memory', () => {
  it.each([
    ['gathered', 0],
    ['streamed', 200_000_000],
  ])('stays bounded while 200 MB are %s through', async (name, atLeastBytes) => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    await store.put(`warm/${name}`, content(30 * mebibyte), { contentType });
    collect();
    // The process has grown in earlier tests, so the resident size alone could hide a leak: buffers are counted as well.
    const measure = () => ({ rss: process.memoryUsage.rss(), buffers: process.memoryUsage().arrayBuffers });
    const before = measure();
    const peak = { ...before };
    let chunks = 0;
    const watched = content(200_000_000, () => {
      if (++chunks % 64 !== 0) return;
      const now = measure();
      peak.rss = Math.max(peak.rss, now.rss);
      peak.buffers = Math.max(peak.buffers, now.buffers);
    });
    const started = performance.now();
    await store.put(`memory/${name}`, watched, { contentType, atLeastBytes });
    const seconds = (performance.now() - started) / 1000;
    const grown = {
      rss: (peak.rss - before.rss) / mebibyte,
      buffers: (peak.buffers - before.buffers) / mebibyte,
    };
    console.info(`${name}: 200 MB in ${seconds.toFixed(2)} s; growth in MiB:`, grown);
    expect(grown.rss).toBeLessThan(64);
    // Those that wait to be collected are counted too.
    expect(grown.buffers).toBeLessThan(128);
  });
});
