import type { PayloadOf, WholeWork } from '@currawong/contracts';
import { ObjectStore } from '@currawong/object-store';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { decodeToPcm } from '../audio/decode';
import { WORKER_CONFIG, type WorkerConfig } from '../config';
import { timed, timedItems } from '../metrics';

const PREFIX = 'currawong-job-';

/** A stored recording as sound: 16 kHz mono, in blocks, as they are decoded. */
@Injectable()
export class SourceAudio implements OnModuleInit {
  constructor(
    @Inject(WORKER_CONFIG) private readonly config: WorkerConfig,
    private readonly store: ObjectStore,
  ) {}

  /** What a killed predecessor left would fill the disk in time. */
  async onModuleInit(): Promise<void> {
    await mkdir(this.config.SCRATCH_DIR, { recursive: true });
    const left = (await readdir(this.config.SCRATCH_DIR)).filter((name) => name.startsWith(PREFIX));
    for (const name of left) await rm(join(this.config.SCRATCH_DIR, name), { recursive: true, force: true });
  }

  /** Decodes from a scratch file, gone when `act` ends: an mp4 may keep its index at the end, so a stream would not do. */
  async decoded<T>(
    work: PayloadOf<typeof WholeWork>,
    signal: AbortSignal,
    act: (pcm: AsyncIterable<Int16Array>) => Promise<T>,
  ): Promise<T> {
    const scratch = await mkdtemp(join(this.config.SCRATCH_DIR, PREFIX));
    try {
      const inputPath = join(scratch, 'source');
      await timed('fetch', async () => {
        const source = await this.store.get(work.source_key, undefined, signal);
        await pipeline(source, createWriteStream(inputPath), { signal });
      });
      const decoding = decodeToPcm({
        ffmpegPath: this.config.CURRAWONG_FFMPEG,
        inputPath,
        maxSeconds: work.max_seconds,
        ...(work.truncate_after_seconds === null ? {} : { onlyFirstSeconds: work.truncate_after_seconds }),
        signal,
      });
      const pcm = timedItems('decode', decoding);
      try {
        return await act(pcm);
      } finally {
        // Ends ffmpeg also where `act` failed with sound still to come, or before it wanted any.
        await pcm.return();
        await decoding.return();
      }
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
}
