import type { Owner } from '@currawong/contracts';
import type { Request, Response } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { EventStreams } from '../jobs/events/event-streams';
import type { Following } from '../jobs/events/following';
import type { Transcripts } from '../jobs/transcripts';
import type { Overload } from '../overload/overload';
import type { Intake } from '../transcribe/intake';
import { TranscriptionsController } from './transcriptions.controller';

const OWNER: Owner = { account_id: '01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55', mode: 'live' };

it('a gateway that stops undoes the job of a request that is held open, and then asks its client to come again', async () => {
  const streams = new EventStreams();
  const discard = jest.fn(() => Promise.resolve());
  let isHeld!: () => void;
  const held = new Promise<void>((resolve) => (isHeld = resolve));
  const following = {
    ended: (_owner: Owner, _jobId: string, signal: AbortSignal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        isHeld();
      }),
  };
  const controller = new TranscriptionsController(
    { accept: () => Promise.resolve({ jobId: 'a', wish: { stream: false }, discard }) } as unknown as Intake,
    { uploadIsOver: () => undefined } as unknown as Overload,
    streams,
    following as unknown as Following,
    {} as Transcripts,
  );
  const response = Object.assign(new ServerResponse(new IncomingMessage(new Socket())), {
    set: () => undefined,
  });
  const asked = controller.transcribe(OWNER, null, {} as Request, response as unknown as Response);
  await held;
  streams.endAll();
  await expect(asked).rejects.toMatchObject({
    refusal: { code: 'unavailable' },
    headers: { 'Retry-After': '1' },
  });
  expect(discard).toHaveBeenCalledTimes(1);
});
