import {
  accept,
  ListLanguages,
  WorkerAnnounced,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Answers, Hears } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { keepAnnouncement, knownLanguages } from './engines';

/** Which engines are at work, as their workers say, and so what may be asked of them. */
@Controller()
export class EnginesController {
  constructor(private readonly source: DataSource) {}

  @Hears(WorkerAnnounced, { queue: 'jobs' })
  announced(announcement: PayloadOf<typeof WorkerAnnounced>): Promise<void> {
    return keepAnnouncement(this.source, announcement);
  }

  @Answers(ListLanguages)
  async languages(): Promise<Result<ReplyOf<typeof ListLanguages>>> {
    return accept(await knownLanguages(this.source));
  }
}
