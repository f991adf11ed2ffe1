import {
  accept,
  CheckCredit,
  DiscardJob,
  KeepUpload,
  objectKeys,
  OpenUpload,
  refuse,
  SubmitJob,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Answers, Requester } from '@currawong/messaging';
import { Controller, Inject } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { extendUpload, insertUpload } from '../storage/job-records';
import { Discard } from './discard';
import { Submission } from './submission';
import { TestAllowance } from './test-allowance';

/** From the first byte of an upload to an accepted job. */
@Controller()
export class IntakeController {
  constructor(
    private readonly source: DataSource,
    @Inject(JOBS_CONFIG) private readonly config: JobsConfig,
    private readonly requester: Requester,
    private readonly submission: Submission,
    private readonly discarding: Discard,
    private readonly allowance: TestAllowance,
  ) {}

  @Answers(OpenUpload)
  async openUpload(upload: PayloadOf<typeof OpenUpload>): Promise<Result<ReplyOf<typeof OpenUpload>>> {
    // Said before any byte is read: nobody should upload 500 MB to learn that nothing is left.
    if (upload.mode === 'live') {
      const credit = await this.requester.ask(CheckCredit, { account_id: upload.account_id });
      if (!credit.ok) return credit;
    } else {
      const refusal = await this.allowance.refusalBefore(upload.account_id);
      if (refusal) return { ok: false, refusal };
    }
    const lease_seconds = this.config.UPLOAD_LEASE_SECONDS;
    const source_key = objectKeys.source(upload.account_id, upload.job_id);
    await insertUpload(this.source, {
      id: upload.job_id,
      accountId: upload.account_id,
      mode: upload.mode,
      keyId: upload.key_id ?? null,
      originalFilename: upload.original_filename,
      sourceKey: source_key,
      leaseSeconds: lease_seconds,
    });
    return accept({ source_key, lease_seconds });
  }

  @Answers(KeepUpload)
  async keepUpload({ job_id }: PayloadOf<typeof KeepUpload>): Promise<Result<ReplyOf<typeof KeepUpload>>> {
    const open = await extendUpload(this.source, job_id, this.config.UPLOAD_LEASE_SECONDS);
    return open ? accept({}) : refuse('upload_failed');
  }

  @Answers(SubmitJob)
  submit(submission: PayloadOf<typeof SubmitJob>): Promise<Result<ReplyOf<typeof SubmitJob>>> {
    return this.submission.submit(submission);
  }

  @Answers(DiscardJob)
  async discard({ job_id }: PayloadOf<typeof DiscardJob>): Promise<Result<ReplyOf<typeof DiscardJob>>> {
    await this.discarding.discard(job_id);
    return accept({});
  }
}
