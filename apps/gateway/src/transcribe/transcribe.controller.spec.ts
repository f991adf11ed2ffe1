import { RemoteBreakdown } from '@currawong/messaging';
import { StoreUnavailable } from '@currawong/object-store';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request } from 'express';
import type { GatewayConfig } from '../config';
import { RefusalException } from '../http/refusal.exception';
import type { Languages } from '../languages/languages';
import type { StoreUploads } from '../uploads/store-uploads';
import { CallbackUrls } from '../webhooks/callback-urls';
import type { RemoteRecordings } from './by-url/remote-recordings';
import { Intake } from './intake';
import type { Submissions, Upload } from './submissions';
import { TranscribeController } from './transcribe.controller';

const config = { MAX_FILE_BYTES: 1_000, MIN_UPLOAD_BYTES_PER_SECOND: 0 } as GatewayConfig;
const languages = {
  accepted: () => Promise.resolve({ languages: ['en'], auto: false, engine: null }),
} as unknown as Languages;

/** What POST /transcribe fails with, and whether that waited for the discard. */
async function failureOf(upload: Partial<Upload>): Promise<{ error: unknown; discarded: boolean }> {
  let discarded = false;
  const whole = {
    store: (body: NodeJS.ReadableStream) => once(body.resume(), 'end').then(() => ({ sha256: '' })),
    discard: async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      discarded = true;
    },
    ...upload,
  } as unknown as Upload;
  const submissions = { open: () => Promise.resolve(whole) } as unknown as Submissions;
  const intake = new Intake(
    config,
    submissions,
    languages,
    {} as RemoteRecordings,
    {} as StoreUploads,
    new CallbackUrls({ OUTBOUND_ALLOWED_ADDRESSES: [] }),
  );
  const controller = new TranscribeController(intake);
  let outcome: { error: unknown; discarded: boolean } | undefined;
  const server = http.createServer((request, response) => {
    const caller = { account_id: 'an account', mode: 'live' as const };
    controller
      .transcribe(caller, null, request as Request)
      .catch((error: unknown) => (outcome = { error, discarded }))
      .finally(() => response.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const body = new FormData();
  body.set('file', new Blob(['RIFF....WAVEfmt ']), 'a.wav');
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { method: 'POST', body });
  server.closeAllConnections();
  server.close();
  if (!outcome) throw new Error('it was accepted');
  return outcome;
}

it.each([
  ['the store fails', 'upload_failed', { store: () => Promise.reject(new StoreUnavailable('status 503')) }],
  [
    'nobody answers the submission',
    'submission_failed',
    { submit: () => Promise.reject(new RemoteBreakdown('jobs.submit')) },
  ],
])('when %s it is a 500 that says %s, after the discard', async (_, code, upload) => {
  const { error, discarded } = await failureOf(upload);
  expect(error).toBeInstanceOf(RefusalException);
  expect(error).toMatchObject({ refusal: { code }, status: 500, cause: expect.any(Error) });
  expect(discarded).toBe(true);
});
