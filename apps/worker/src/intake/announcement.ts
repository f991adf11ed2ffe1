import { ANNOUNCED_EVERY_SECONDS, WorkerAnnounced } from '@currawong/contracts';
import { Notices } from '@currawong/messaging';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { WORKER_CONFIG, type WorkerConfig } from '../config';
import type { Recognizer } from '../recognition/recognizer';
import { WORKER_NAME } from './attempt';
import { RECOGNIZER } from './recordings';

/** `jobs` may still be starting and hear nothing yet: soon after the first announcement comes the next. */
const FIRST_PAUSE_SECONDS = 1;

/**
 * Tells `jobs` which engine this worker has: what clients may ask for, and how soon their jobs will be done, follows from
 * it. A worker without the duty of speech has nothing to tell.
 */
@Injectable()
export class Announcement implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(WORKER_CONFIG) private readonly config: WorkerConfig,
    @Inject(RECOGNIZER) private readonly recognizer: Recognizer,
    private readonly notices: Notices,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.config.WORKER_DUTIES.includes('speech')) return;
    this.announceAndAgain(FIRST_PAUSE_SECONDS);
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private announceAndAgain(pauseSeconds: number): void {
    this.announce();
    const next = Math.min(2 * pauseSeconds, ANNOUNCED_EVERY_SECONDS);
    this.timer = setTimeout(() => this.announceAndAgain(next), pauseSeconds * 1_000);
  }

  private announce(): void {
    const { name, version, model, languages, detectsLanguage } = this.recognizer;
    this.notices.send(WorkerAnnounced, {
      worker: WORKER_NAME,
      engine: name,
      version,
      model,
      languages: [...languages],
      detects_language: detectsLanguage,
      slots: this.config.WORKER_SLOTS,
    });
  }
}
