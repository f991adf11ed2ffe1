import { AssembleWork, PrepareWork, type PayloadOf } from '@currawong/contracts';
import { Consumes, type Delivery, type Outcome } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import type { WorkerConfig } from '../config';
import { Attempt } from './attempt';
import { Recordings } from './recordings';

/** The duty that needs no engine: cutting long recordings into chunks, and putting what was heard together again. */
@Controller()
export class AudioController {
  constructor(
    private readonly attempt: Attempt,
    private readonly recordings: Recordings,
  ) {}

  @Consumes({
    durable: 'work-audio',
    contracts: [PrepareWork, AssembleWork],
    slots: (config: WorkerConfig) => config.WORKER_SLOTS,
    ackWaitSeconds: 30,
  })
  handle(
    work: PayloadOf<typeof PrepareWork> | PayloadOf<typeof AssembleWork>,
    delivery: Delivery,
  ): Promise<Outcome> {
    return this.attempt.run(work, delivery, (context, attempt) =>
      'chunk_attempts' in work
        ? this.recordings.assemble({ ...work, attempt }, context)
        : this.recordings.prepare({ ...work, attempt }, context),
    );
  }
}
