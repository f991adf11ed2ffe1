import {
  accept,
  objectKeys,
  refuse,
  type FindStoreUpload,
  type OpenStoreUpload,
  type Owner,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { ObjectStore } from '@currawong/object-store';
import { Inject, Injectable } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { lookAgain } from '../storage/deletion-records';
import {
  countOpenStoreUploads,
  extendUpload,
  findStoreUpload,
  insertUpload,
  noteStoreUpload,
  wasAccepted,
} from '../storage/job-records';
import { Discard } from './discard';

/** An upload that is being submitted must not run out of time meanwhile. */
const SUBMISSION_SECONDS = 90;

/**
 * Recordings that clients put into the store themselves. Each is a job that waits for its bytes, and is discarded like
 * any other whose time is over: parts, object and row.
 */
@Injectable()
export class StoreUploads {
  constructor(
    private readonly source: DataSource,
    @Inject(JOBS_CONFIG) private readonly config: JobsConfig,
    private readonly store: ObjectStore,
    private readonly discarding: Discard,
  ) {}

  async open(upload: PayloadOf<typeof OpenStoreUpload>): Promise<Result<ReplyOf<typeof OpenStoreUpload>>> {
    const { account_id, job_id, content_type } = upload;
    const source_key = objectKeys.source(account_id, job_id);
    const limit = this.config.OPEN_UPLOADS_PER_ACCOUNT;
    const isWithinLimit = await this.source.transaction(async (manager) => {
      if ((await countOpenStoreUploads(manager, account_id, this.config.STORE_UPLOAD_SECONDS)) >= limit)
        return false;
      await insertUpload(manager, {
        ...{ id: job_id, accountId: account_id, mode: upload.mode, keyId: upload.key_id },
        ...{ originalFilename: upload.original_filename, sourceKey: source_key },
        ...{ leaseSeconds: this.config.STORE_UPLOAD_SECONDS, declaredBytes: upload.size_bytes },
      });
      return true;
    });
    if (!isWithinLimit)
      return refuse(
        'too_many_uploads',
        `The account has ${limit} open uploads, which is as many as it may have. Submit some of them, or wait until they expire: one that is deleted counts until then.`,
      );
    try {
      // After the row: what is begun in the store without one would stay there.
      const store_upload_id = await this.store.beginParts(source_key, content_type);
      const noted = await noteStoreUpload(this.source, job_id, store_upload_id);
      if (!noted) throw new Error(`upload ${job_id} was given up while it was begun`);
      return accept({ source_key, store_upload_id, expires_at: noted.upload_expires_at!.toISOString() });
    } catch (error) {
      // Cancelled meanwhile: what was begun in the store is to go as well.
      if (!(await this.discarding.discard(job_id))) await lookAgain(this.source, job_id);
      throw error;
    }
  }

  async find(owner: Owner, jobId: string): Promise<Result<ReplyOf<typeof FindStoreUpload>>> {
    const found = await findStoreUpload(this.source, owner, jobId);
    if (!found) return refuse('upload_not_found');
    const isOpen = await extendUpload(this.source, jobId, SUBMISSION_SECONDS);
    // Another submission of it may have been accepted since it was found.
    const job = isOpen ? found : await findStoreUpload(this.source, owner, jobId);
    if (!job || (!isOpen && !wasAccepted(job))) return refuse('upload_not_found');
    return accept({
      source_key: job.source_key,
      size_bytes: Number(job.declared_bytes),
      store_upload_id: isOpen ? job.store_upload_id : null,
    });
  }
}
