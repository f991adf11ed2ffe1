import {
  accept,
  CheckCredit,
  DiscardJob,
  FindStoreUpload,
  KeepUpload,
  objectKeys,
  OpenStoreUpload,
  OpenUpload,
  refuse,
  SubmitJob,
  type Owner,
  type PayloadOf,
  type Refusal,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Answers, Requester } from '@currawong/messaging';
import { Controller, Inject } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { lookAgain } from '../storage/deletion-records';
import { findKey } from '../storage/idempotency-records';
import { extendUpload, findJob, insertUpload, wasCancelledAsUpload } from '../storage/job-records';
import { Discard } from './discard';
import { StoreUploads } from './store-uploads';
import { Submission } from './submission';
import { TestAllowance } from './test-allowance';
import { tooManyUnfinished } from './unfinished-jobs';

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
    private readonly storeUploads: StoreUploads,
  ) {}

  @Answers(OpenUpload)
  async openUpload(upload: PayloadOf<typeof OpenUpload>): Promise<Result<ReplyOf<typeof OpenUpload>>> {
    const refusal = await this.refusalBefore(upload);
    // What was paid for already costs nothing again; whether it is that, only the whole request tells.
    if (refusal && !(await this.isRepeated(upload))) return { ok: false, refusal };
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

  @Answers(OpenStoreUpload)
  async openStoreUpload(
    upload: PayloadOf<typeof OpenStoreUpload>,
  ): Promise<Result<ReplyOf<typeof OpenStoreUpload>>> {
    const refusal = await this.refusalBefore(upload);
    return refusal ? { ok: false, refusal } : this.storeUploads.open(upload);
  }

  @Answers(FindStoreUpload)
  findStoreUpload({
    job_id,
    ...owner
  }: PayloadOf<typeof FindStoreUpload>): Promise<Result<ReplyOf<typeof FindStoreUpload>>> {
    return this.storeUploads.find(owner, job_id);
  }

  @Answers(KeepUpload)
  async keepUpload({ job_id }: PayloadOf<typeof KeepUpload>): Promise<Result<ReplyOf<typeof KeepUpload>>> {
    const open = await extendUpload(this.source, job_id, this.config.UPLOAD_LEASE_SECONDS);
    if (open) return accept({});
    const job = await findJob(this.source, job_id);
    return refuse(job && wasCancelledAsUpload(job) ? 'job_cancelled' : 'upload_failed');
  }

  @Answers(SubmitJob)
  submit(submission: PayloadOf<typeof SubmitJob>): Promise<Result<ReplyOf<typeof SubmitJob>>> {
    return this.submission.submit(submission);
  }

  @Answers(DiscardJob)
  async discard({ job_id }: PayloadOf<typeof DiscardJob>): Promise<Result<ReplyOf<typeof DiscardJob>>> {
    // Of an upload that was cancelled: what its gateway was storing until now is to go as well.
    if (!(await this.discarding.discard(job_id))) await lookAgain(this.source, job_id);
    return accept({});
  }

  /** Said before any byte is read: nobody should upload 500 MB to learn that nothing is left. */
  private async refusalBefore({ account_id, mode }: Owner): Promise<Refusal | null> {
    const tooMany = await tooManyUnfinished(this.source, account_id, this.config.ACCOUNT_UNFINISHED_JOBS);
    if (tooMany) return tooMany;
    if (mode === 'test') return this.allowance.refusalBefore(account_id);
    const credit = await this.requester.ask(CheckCredit, { account_id });
    return credit.ok ? null : credit.refusal;
  }

  private async isRepeated({
    account_id,
    mode,
    idempotency_key: key,
  }: PayloadOf<typeof OpenUpload>): Promise<boolean> {
    return key !== undefined && (await findKey(this.source, { account_id, mode, key })) !== undefined;
  }
}
