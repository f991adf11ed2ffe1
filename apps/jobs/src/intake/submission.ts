import {
  accept,
  HoldForJob,
  refuse,
  SubmitJob,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { Outbox, DataSource } from '@currawong/database';
import { Requester } from '@currawong/messaging';
import { ObjectStore } from '@currawong/object-store';
import { crashPoint } from '@currawong/telemetry';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import { Dispatcher } from '../dispatch/dispatcher';
import { priceOptionOf, TEST_RECORDING_SECONDS } from '../lifecycle/job';
import { countRepeatedSubmission, jobsAccepted } from '../metrics/metrics';
import { acceptKey, freeUnacceptedKeys } from '../storage/idempotency-records';
import {
  applyEvent,
  findJob,
  fixHoldOption,
  lockJob,
  wasAccepted,
  type JobRecord,
  wasCancelledAsUpload,
} from '../storage/job-records';
import { Discard } from './discard';
import { IdempotencyKeys, ownedKey, type Idempotency } from './idempotency';
import { probeLength } from './probe/probe-length';
import { TestAllowance } from './test-allowance';

/** A stored recording becomes a job: its length is probed, its price held, its first work sent. */
@Injectable()
export class Submission {
  private readonly log = new Logger(Submission.name);

  constructor(
    private readonly source: DataSource,
    @Inject(JOBS_CONFIG) private readonly config: JobsConfig,
    private readonly store: ObjectStore,
    private readonly requester: Requester,
    private readonly outbox: Outbox,
    private readonly dispatcher: Dispatcher,
    private readonly discarding: Discard,
    private readonly allowance: TestAllowance,
    private readonly keys: IdempotencyKeys,
  ) {}

  async submit(submission: PayloadOf<typeof SubmitJob>): Promise<Result<ReplyOf<typeof SubmitJob>>> {
    const job = await findJob(this.source, submission.job_id);
    if (!job) return refuse('submission_failed');
    if (wasCancelledAsUpload(job)) return refuse('job_cancelled');
    return submission.idempotency
      ? this.submitOnce(job, submission, submission.idempotency)
      : this.submitAnyway(job, submission);
  }

  /** Equal submissions under one key become one job, and all of them get its receipt. */
  private async submitOnce(
    job: JobRecord,
    submission: PayloadOf<typeof SubmitJob>,
    idempotency: Idempotency,
  ): Promise<Result<ReplyOf<typeof SubmitJob>>> {
    if (job.state === 'discarded') {
      // In favour of an equal one, perhaps, and the answer was lost.
      const jobId = await this.keys.jobOf(job, idempotency);
      return jobId === undefined ? refuse('submission_failed') : accept({ job_id: jobId });
    }
    const claim = await this.keys.claim(job, idempotency);
    if (claim.kind === 'ours')
      return this.keys.whileClaimed(job, idempotency, () => this.submitAnyway(job, submission));
    countRepeatedSubmission(claim.kind);
    // An upload that its client made for itself stays, and so does a key that another submission of it has claimed.
    if (job.declared_bytes === null) await this.discarding.discard(job.id);
    switch (claim.kind) {
      case 'accepted':
        return accept({ job_id: claim.jobId });
      case 'other_request':
        return refuse('idempotency_key_reused');
      case 'pending':
        return refuse('submission_pending');
    }
  }

  private async submitAnyway(
    job: JobRecord,
    submission: PayloadOf<typeof SubmitJob>,
  ): Promise<Result<ReplyOf<typeof SubmitJob>>> {
    if (job.state === 'discarded') return refuse('submission_failed');
    // The answer to an earlier asking was lost, or an upload by reference is submitted again.
    if (job.state !== 'uploading') return this.acceptedAlready(job, submission);
    const submitted = await this.holdAndSend(job, submission);
    if (!submitted.ok) await this.undo(job);
    return submitted;
  }

  private async acceptedAlready(
    job: JobRecord,
    { idempotency }: PayloadOf<typeof SubmitJob>,
  ): Promise<Result<ReplyOf<typeof SubmitJob>>> {
    if (!wasAccepted(job)) return refuse('job_cancelled');
    if (idempotency) await acceptKey(this.source, ownedKey(job, idempotency), job.id);
    return accept({ job_id: job.id });
  }

  /**
   * Nothing of a refused submission stays: not the hold, not the object, not the row. But an upload that its client made for
   * itself may be submitted again until its time is over.
   */
  private async undo(job: JobRecord): Promise<void> {
    if (job.declared_bytes === null) await this.discarding.discard(job.id);
    else await freeUnacceptedKeys(this.source, job.id);
  }

  private async holdAndSend(
    job: JobRecord,
    submission: PayloadOf<typeof SubmitJob>,
  ): Promise<Result<ReplyOf<typeof SubmitJob>>> {
    const probed = await probeLength({
      read: (start, end) => this.store.getBuffer(job.source_key, { start, end }, end - start),
      sizeBytes: submission.size_bytes,
      filename: job.original_filename,
    });
    if (!probed.ok) return refuse(probed.refusal.code, probed.refusal.detail);
    const seconds = Math.max(1, Math.ceil(probed.seconds));
    if (seconds > this.config.MAX_RECORDING_SECONDS) {
      return refuse(
        'recording_too_long',
        `file: the recording lasts ${Math.ceil(seconds / 60)} minutes; at most ${Math.floor(this.config.MAX_RECORDING_SECONDS / 60)} are allowed. Split it and send the parts.`,
      );
    }

    const analysis = submission.analysis ?? null;
    const option = priceOptionOf({ analysis });
    if (job.declared_bytes !== null) {
      const fixed = await fixHoldOption(this.source, job.id, option);
      if (fixed === undefined) return this.acceptedBefore(submission);
      if (fixed !== option)
        return refuse(
          'invalid_parameter',
          'analysis: this upload was submitted with another value before. Send the same, or make a new upload.',
        );
    }
    if (job.mode === 'live') {
      const held = await this.requester.ask(HoldForJob, {
        account_id: job.account_id,
        job_id: job.id,
        seconds,
        option,
        key_id: job.key_id,
      });
      // Released already: this job was given up meanwhile. It is no fault of what the client sent.
      if (!held.ok && held.refusal.code === 'conflict') return this.acceptedBefore(submission);
      if (!held.ok) return held;
      crashPoint('submission.held');
    }

    const accepted = await this.outbox.transaction(async (manager, send): Promise<Result<boolean>> => {
      // Asked twice at once, the second asking must find the first accepted, not the allowance used by it.
      const open = await lockJob(manager, job.id);
      if (open?.state !== 'uploading') return accept(false);
      if (open.mode === 'test') {
        const refusal = await this.allowance.take(manager, open, Math.min(seconds, TEST_RECORDING_SECONDS));
        if (refusal) return { ok: false, refusal };
      }
      const pending = await applyEvent(manager, open, {
        kind: 'submitted',
        heldSeconds: seconds,
        sizeBytes: submission.size_bytes,
        language: submission.language,
        numSpeakers: submission.num_speakers,
        prompt: submission.prompt,
        analysis,
        webhookUrl: submission.webhook_url ?? null,
      });
      if (!pending) return accept(false);
      const { idempotency } = submission;
      // Rolls back: what is accepted without its key could be accepted twice.
      if (idempotency && !(await acceptKey(manager, ownedKey(job, idempotency), job.id)))
        throw new Error(`The key of job ${job.id} stands for another job by now`);
      const stage = seconds <= this.config.CHUNK_SECONDS || pending.mode === 'test' ? 'whole' : 'prepare';
      await this.dispatcher.start(manager, send, pending, stage);
      return accept(true);
    });
    if (!accepted.ok) return accepted;
    if (!accepted.value) return this.acceptedBefore(submission);
    crashPoint('submission.accepted');
    jobsAccepted.inc({ mode: job.mode });
    this.log.log(`job ${job.id} accepted, ${seconds} s of audio`);
    return accept({ job_id: job.id });
  }

  /** The transition was lost: against the same question, asked twice, which is fine, or against a discard or a cancellation. */
  private async acceptedBefore(
    submission: PayloadOf<typeof SubmitJob>,
  ): Promise<Result<ReplyOf<typeof SubmitJob>>> {
    const job = await findJob(this.source, submission.job_id);
    if (job && wasCancelledAsUpload(job)) return refuse('job_cancelled');
    return job && wasAccepted(job) ? this.acceptedAlready(job, submission) : refuse('submission_failed');
  }
}
