import { objectKeys, type TranscriptDocument } from '@currawong/contracts';
import { MessagingConnection } from '@currawong/messaging';
import { ObjectStore } from '@currawong/object-store';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { shownOf, type ShownTranscript } from './job-body';

/** More than twelve hours of speech with a time for each word. */
const MAX_DOCUMENT_BYTES = 100_000_000;

/**
 * Results, read from the store and kept for the next poll: without their words, which are most of them and are asked
 * for once. A key names one attempt's result and is never written again, so what is kept cannot grow old; whether it
 * may be shown is asked of `jobs` each time.
 */
@Injectable()
export class Transcripts {
  private readonly kept: LRUCache<string, ShownTranscript>;
  /** Raised when something is forgotten, so that what was read before it is not kept after it. */
  private forgotten = 0;

  constructor(
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
    private readonly store: ObjectStore,
    connection: MessagingConnection,
  ) {
    this.kept = new LRUCache({ maxSize: Math.max(1, config.TRANSCRIPT_CACHE_BYTES) });
    // It may have missed that a job was deleted.
    connection.onReconnect(() => {
      this.forgotten++;
      this.kept.clear();
    });
  }

  async read(key: string): Promise<ShownTranscript> {
    const known = this.kept.get(key);
    if (known) return known;
    const forgottenBefore = this.forgotten;
    const shown = shownOf(await this.readWhole(key));
    if (forgottenBefore === this.forgotten)
      this.kept.set(key, shown, { size: Buffer.byteLength(JSON.stringify(shown)) });
    return shown;
  }

  /** Of a job that was deleted: nobody is shown it any more, and it is not to lie about in memory either. */
  forget(jobId: string): void {
    this.forgotten++;
    for (const key of this.kept.keys())
      if (key.startsWith(objectKeys.resultPrefix(jobId))) this.kept.delete(key);
  }

  /** With the words and their times, from the store each time. */
  async readWhole(key: string): Promise<TranscriptDocument> {
    const bytes = await this.store.getBuffer(key, undefined, MAX_DOCUMENT_BYTES);
    // The worker held it against the schema when it wrote it. To hold every word of ten hours against it once more
    // would keep all other requests waiting for longer than to read it does.
    const document = JSON.parse(bytes.toString('utf8')) as TranscriptDocument;
    if (document.version !== 1)
      throw new Error(`${key} has version ${String(document.version)}, which is not ours`);
    return document;
  }
}
