import type { Owner, PayloadOf, SubmitJob } from '@currawong/contracts';
import { crashPoint } from '@currawong/telemetry';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Readable } from 'node:stream';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { RefusalException, valueOf } from '../http/refusal.exception';
import { Languages, type AcceptedLanguages } from '../languages/languages';
import { StoreUploads } from '../uploads/store-uploads';
import { CallbackUrls } from '../webhooks/callback-urls';
import { RemoteRecordings } from './by-url/remote-recordings';
import { fingerprintOf, idempotencyKeyOf, type Recording } from './idempotency';
import { readSubmissionBody } from './submission-body';
import { Submissions, type Upload } from './submissions';
import type { AcceptedFile } from './upload/receive-upload';

/** How else a recording can be named. */
const INSTEAD_OF_FILE = ['file_url', 'upload_id'] as const;
/** Longer than it takes until an upload whose processes died is given up, in most cases. */
const PENDING_RETRY_SECONDS = '15';

/** What may be wanted of a recording. */
export type Wanted = Omit<PayloadOf<typeof SubmitJob>, 'job_id' | 'size_bytes' | 'idempotency'>;

/** The fields of a route that takes recordings. */
export interface SubmissionForm<T extends { wanted: Wanted }> {
  names: readonly string[];
  /** Whether `file_url` and `upload_id` may be sent instead of a file. */
  byReference: boolean;
  /** @throws RefusalException 400 */
  read: (sent: Record<string, string>) => T;
}

/** A recording that was accepted; its client has not been told. */
export type Accepted<T> = T & {
  jobId: string;
  /** Undoes it, unless it has ended or an equal request was told of it. As `Upload.discard`. */
  discard: () => Promise<void>;
};

/** From a request with a recording to an accepted job: what all routes that take recordings share. */
@Injectable()
export class Intake {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly submissions: Submissions,
    private readonly languages: Languages,
    private readonly remote: RemoteRecordings,
    private readonly storeUploads: StoreUploads,
    private readonly callbackUrls: CallbackUrls,
  ) {}

  /** After a refusal nothing is left behind. @throws RefusalException */
  async accept<T extends { wanted: Wanted }>(
    caller: Owner,
    keyId: string | null,
    request: Request,
    formFor: (accepted: AcceptedLanguages) => SubmissionForm<T>,
  ): Promise<Accepted<T>> {
    let upload: Pick<Upload, 'submit' | 'discard'> | undefined;
    let breakdown: 'upload_failed' | 'submission_failed' = 'upload_failed';
    try {
      const key = idempotencyKeyOf(request);
      const form = formFor(await this.languages.accepted());
      const insteadOfFile = form.byReference ? INSTEAD_OF_FILE : [];
      const store = async (body: Readable, file: AcceptedFile) => {
        const opened = await this.submissions.open(caller, keyId, file.filename, key);
        upload = opened;
        return { filename: file.filename, sha256: (await opened.store(body, file)).sha256 };
      };
      const received = await readSubmissionBody(request, {
        maxFileBytes: this.config.MAX_FILE_BYTES,
        fieldNames: [...form.names, ...insteadOfFile],
        insteadOfFile,
        minBytesPerSecond: this.config.MIN_UPLOAD_BYTES_PER_SECOND,
        store,
      });
      if (!received.ok) throw new RefusalException(received.refusal);
      const { file_url, upload_id, ...texts } = received.fields;
      requireOne(received.stored, file_url, upload_id);
      const read = form.read(texts);
      const { wanted } = read;
      await this.callbackUrls.require('webhook_url', wanted.webhook_url ?? null);
      let { sizeBytes } = received;
      let recording: Recording;
      if (file_url !== undefined) {
        const signal = request.res ? goneSignal(request.res) : new AbortController().signal;
        ({ sizeBytes } = await this.remote.fetch(file_url, { signal, store }));
        recording = { file_url };
      } else if (upload_id !== undefined) {
        ({ sizeBytes } = await this.storeUploads.finish(caller, upload_id));
        upload = this.submissions.ofStoreUpload(upload_id);
        recording = { upload_id };
      } else {
        const { filename, sha256 } = received.stored!;
        recording = { file: filename, sha256 };
      }
      crashPoint('upload.stored');
      breakdown = 'submission_failed';
      const { job_id: jobId } = valueOf(
        await upload!.submit({
          ...{ size_bytes: sizeBytes, ...wanted },
          ...(key === undefined
            ? {}
            : { idempotency: { key, fingerprint: fingerprintOf(wanted, recording) } }),
        }),
      );
      return { ...read, jobId, discard: () => upload!.discard() };
    } catch (error) {
      // After anything but a 200 nothing is left behind.
      await upload?.discard();
      if (!(error instanceof RefusalException)) throw RefusalException.of(breakdown, undefined, error);
      throw error.refusal.code === 'submission_pending'
        ? new RefusalException(error.refusal, error, { 'Retry-After': PENDING_RETRY_SECONDS })
        : error;
    }
  }
}

/** @throws RefusalException 400 unless the recording was sent in exactly one way */
function requireOne(...ways: unknown[]): void {
  if (ways.filter((way) => way !== undefined).length !== 1)
    throw RefusalException.of('invalid_parameter', 'file, file_url, upload_id: send exactly one of them');
}

/** Fires when the client has gone before it was answered. */
function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  const onClose = () => response.writableFinished || gone.abort(new Error('The client has gone'));
  response.once('close', onClose);
  if (response.destroyed) onClose();
  return gone.signal;
}
