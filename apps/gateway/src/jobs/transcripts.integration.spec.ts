import { objectKeys, type TranscriptDocument } from '@currawong/contracts';
import type { MessagingConnection } from '@currawong/messaging';
import { createObjectStore, type ObjectStore } from '@currawong/object-store';
import { freshBucket, type FreshBucket } from '@currawong/testing';
import type { GatewayConfig } from '../config';
import { Transcripts } from './transcripts';

let bucket: FreshBucket;
let objects: ObjectStore;
beforeAll(async () => {
  bucket = await freshBucket();
  objects = createObjectStore(bucket);
});
afterAll(async () => {
  objects.close();
  await bucket.drop();
});

const words = Array.from({ length: 500 }, (_, index) => ({
  text: 'word',
  start: index,
  end: index + 0.5,
  confidence: 0.5,
}));
const segment = { start: 0, end: 500, speaker: 'Speaker 1', text: 'word', confidence: 0.5 };
const document: TranscriptDocument = {
  version: 1,
  language: 'en',
  durationSeconds: 500,
  speakers: 1,
  segments: [{ ...segment, words }],
  transcription: 'word',
  diarization: '[Speaker 1]: word',
  warnings: [],
  engine: { name: 'e', version: '1' },
  diarizer: { name: 'd', version: '1' },
};
const shown = {
  transcription: 'word',
  diarization: '[Speaker 1]: word',
  warnings: [],
  segments: [segment],
  engine: { name: 'e', version: '1' },
  diarizer: { name: 'd', version: '1' },
};

async function stored(key: string, result: object = document): Promise<string> {
  await objects.putBuffer(key, Buffer.from(JSON.stringify(result)), { contentType: 'application/json' });
  return key;
}

let reconnected: () => void;
const connection = {
  onReconnect: (listener: () => void) => (reconnected = listener),
} as unknown as MessagingConnection;
const transcriptsOf = (bytes: number, store = objects) =>
  new Transcripts({ TRANSCRIPT_CACHE_BYTES: bytes } as GatewayConfig, store, connection);

it('what is shown of a result is kept, and its words neither shown nor counted', async () => {
  // Room for what is shown, but for a small part of the object only.
  const transcripts = transcriptsOf(1_000);
  const key = await stored('results/kept');
  expect(await transcripts.read(key)).toEqual(shown);
  await objects.delete(key);
  expect(await transcripts.read(key)).toEqual(shown);
});

it('what is kept stays within its bound', async () => {
  const transcripts = transcriptsOf(300);
  const [first, second] = [await stored('results/first'), await stored('results/second')];
  await transcripts.read(first);
  await transcripts.read(second);
  await objects.delete(first);
  await expect(transcripts.read(first)).rejects.toThrow();
});

it('words come as they were stored, and a result of a form that is not known is shown to nobody', async () => {
  const transcripts = transcriptsOf(1_000);
  expect(await transcripts.readWhole(await stored('results/whole'))).toEqual(document);
  const later = await stored('results/later', { ...document, version: 2 });
  await expect(transcripts.readWhole(later)).rejects.toThrow('version 2');
  await expect(transcripts.read(later)).rejects.toThrow('version 2');
});

describe('what is said in a job that was deleted is not kept', () => {
  const key = `${objectKeys.resultPrefix('gone')}1-1.json`;

  it('where it was read while the job was deleted', async () => {
    await stored(key);
    const transcripts = transcriptsOf(1_000, {
      getBuffer: async (...asked: Parameters<ObjectStore['getBuffer']>) => {
        const bytes = await objects.getBuffer(...asked);
        transcripts.forget('gone');
        return bytes;
      },
    } as ObjectStore);
    expect(await transcripts.read(key)).toEqual(shown);
    await objects.delete(key);
    await expect(transcripts.read(key)).rejects.toThrow();
  });

  it('where that was not heard because the broker was away', async () => {
    const transcripts = transcriptsOf(1_000);
    await transcripts.read(await stored(key));
    await objects.delete(key);
    reconnected();
    await expect(transcripts.read(key)).rejects.toThrow();
  });
});
