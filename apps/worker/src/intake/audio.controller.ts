import { AssembleWork, PrepareWork, RediarizeWork, type PayloadOf } from '@currawong/contracts';
import { Consumes, type Delivery, type Outcome } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import type { WorkerConfig } from '../config';
import { Attempt } from './attempt';
import { Recordings } from './recordings';
import { Rediarization } from './rediarization';

/**
 * The duty that needs no engine: cutting long recordings into chunks, putting what was heard together again, and telling
 * the speakers of finished ones apart anew.
 */
@Controller()
export class AudioController {
  constructor(
    private readonly attempt: Attempt,
    private readonly recordings: Recordings,
    private readonly rediarization: Rediarization,
  ) {}

  @Consumes({
    durable: 'work-audio',
    contracts: [PrepareWork, AssembleWork, RediarizeWork],
    slots: (config: WorkerConfig) => config.WORKER_SLOTS,
    ackWaitSeconds: 30,
  })
  handle(
    work: PayloadOf<typeof PrepareWork> | PayloadOf<typeof AssembleWork> | PayloadOf<typeof RediarizeWork>,
    delivery: Delivery,
  ): Promise<Outcome> {
    return this.attempt.run(work, delivery, (context, attempt) => {
      if ('voices_key' in work) return this.rediarization.rediarize({ ...work, attempt }, context);
      return 'chunk_attempts' in work
        ? this.recordings.assemble({ ...work, attempt }, context)
        : this.recordings.prepare({ ...work, attempt }, context);
    });
  }
}
