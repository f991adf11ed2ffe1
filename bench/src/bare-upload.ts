import { randomUUID } from 'node:crypto';
import { type ObjectStoreAddress, objectStoreClient } from '@currawong/local-platform';
import { HttpClient, type Sent } from './http-client';
import { type Peer, startPeer } from './peers/peer-process';
import type { Recording } from './recordings';

/** Uploads of the same bytes to the same store through a node:http handler that does nothing else. */
export interface BareUploads {
  readonly peer: Peer;
  send(recording: Recording): Promise<Sent>;
  stop(): Promise<void>;
}

export async function startBareUploads(store: ObjectStoreAddress): Promise<BareUploads> {
  const client = objectStoreClient(store);
  const http = new HttpClient();
  const peer = await startPeer('bare-upload');
  const url = await peer.ask<string>({});
  return {
    peer,
    async send(recording) {
      const key = `bench/${randomUUID()}`;
      const target = await client.presignedPutObject(store.bucket, key, 600);
      const body = { lengthBytes: recording.sizeBytes, chunks: recording.chunks };
      const sent = await http.send('POST', url, { 'x-put-to': target, 'content-type': 'audio/wav' }, body);
      if (sent.status !== 200)
        throw new Error(`The bare upload was answered ${sent.status}: ${sent.body.toString()}`);
      await client.removeObject(store.bucket, key);
      return sent;
    },
    async stop() {
      http.close();
      await peer.stop();
    },
  };
}
