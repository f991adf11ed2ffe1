import { JobStopped, type PayloadOf } from '@currawong/contracts';
import { Hears } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { Attempt } from './attempt';

/** A job that was cancelled or deleted is worked on no longer. */
@Controller()
export class StopController {
  constructor(private readonly attempt: Attempt) {}

  @Hears(JobStopped)
  stop({ job_id }: PayloadOf<typeof JobStopped>): void {
    this.attempt.stop(job_id);
  }
}
