import { JobMoved, JobStopped, WorkProgress, type PayloadOf } from '@currawong/contracts';
import { Hears } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { StoppedUploads } from '../../transcribe/stopped-uploads';
import { Transcripts } from '../transcripts';
import { Following } from './following';

/** What every gateway hears of jobs. Nothing depends on it but how soon something is known. */
@Controller()
export class JobNoticesController {
  constructor(
    private readonly following: Following,
    private readonly uploads: StoppedUploads,
    private readonly transcripts: Transcripts,
  ) {}

  @Hears(JobMoved)
  moved({ job_id }: PayloadOf<typeof JobMoved>): void {
    this.following.noteMoved(job_id);
  }

  @Hears(WorkProgress)
  progress({ job_id }: PayloadOf<typeof WorkProgress>): void {
    this.following.noteMoved(job_id);
  }

  @Hears(JobStopped)
  stopped({ job_id }: PayloadOf<typeof JobStopped>): void {
    this.uploads.stop(job_id);
    this.transcripts.forget(job_id);
    this.following.noteMoved(job_id);
  }
}
