import type { TranscriptDocument } from '@currawong/contracts';
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

it('what is shown of a result is kept, and its words neither shown nor counted', async () => {
  // Room for what is shown, but for a small part of the object only.
  const transcripts = new Transcripts({ TRANSCRIPT_CACHE_BYTES: 1_000 } as GatewayConfig, objects);
  const key = await stored('results/kept');
  expect(await transcripts.read(key)).toEqual(shown);
  await objects.delete(key);
  expect(await transcripts.read(key)).toEqual(shown);
});

it('what is kept stays within its bound', async () => {
  const transcripts = new Transcripts({ TRANSCRIPT_CACHE_BYTES: 300 } as GatewayConfig, objects);
  const [first, second] = [await stored('results/first'), await stored('results/second')];
  await transcripts.read(first);
  await transcripts.read(second);
  await objects.delete(first);
  await expect(transcripts.read(first)).rejects.toThrow();
});

it('words come as they were stored, and a result of a form that is not known is shown to nobody', async () => {
  const transcripts = new Transcripts({ TRANSCRIPT_CACHE_BYTES: 1_000 } as GatewayConfig, objects);
  expect(await transcripts.readWhole(await stored('results/whole'))).toEqual(document);
  const later = await stored('results/later', { ...document, version: 2 });
  await expect(transcripts.readWhole(later)).rejects.toThrow('version 2');
  await expect(transcripts.read(later)).rejects.toThrow('version 2');
});
