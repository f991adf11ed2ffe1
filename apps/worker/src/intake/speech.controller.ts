import { RecognizeWork, WholeWork, type PayloadOf } from '@currawong/contracts';
import { Consumes, type Delivery, type Outcome } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import type { WorkerConfig } from '../config';
import { Attempt } from './attempt';
import { Recordings } from './recordings';

/** The duty of a worker with an engine: chunks of long recordings, and short recordings in one go. */
@Controller()
export class SpeechController {
  constructor(
    private readonly attempt: Attempt,
    private readonly recordings: Recordings,
  ) {}

  @Consumes({
    durable: 'work-speech',
    contracts: [WholeWork, RecognizeWork],
    slots: (config: WorkerConfig) => config.WORKER_SLOTS,
    ackWaitSeconds: 30,
  })
  handle(
    work: PayloadOf<typeof WholeWork> | PayloadOf<typeof RecognizeWork>,
    delivery: Delivery,
  ): Promise<Outcome> {
    return this.attempt.run(work, delivery, (context, attempt) =>
      'chunk' in work
        ? this.recordings.recognize({ ...work, attempt }, context)
        : this.recordings.whole({ ...work, attempt }, context),
    );
  }
}
