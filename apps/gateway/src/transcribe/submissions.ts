import {
  DiscardJob,
  KeepUpload,
  OpenUpload,
  SubmitJob,
  type Owner,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { RemoteBreakdown, Requester, ServiceUnavailable } from '@currawong/messaging';
import { ObjectStore, type PutOptions, type StoredObject } from '@currawong/object-store';
import { Injectable, Logger } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { RefusalException, valueOf } from '../http/refusal.exception';
import { StoppedUploads } from './stopped-uploads';

/**
 * For so long `jobs` may take to open an upload; it is asked again before that, of another replica perhaps. Where nobody
 * listens the client is told at once: it has sent next to nothing yet.
 */
const OPEN_WITHIN_MS = 15_000;
const OPEN_DEADLINE_MS = 7_000;
/** Covers the probe of a recording whose length must be searched for. */
const SUBMIT_DEADLINE_MS = 30_000;
/**
 * When an answer was lost, or `jobs` is being restarted: for so long it is asked again, each time for at most this. What
 * the opening took goes off it: a client has its answer within a minute.
 */
const SUBMIT_AGAIN_FOR_MS = 20_000;
const AGAIN_DEADLINE_MS = 10_000;
const ASK_AGAIN_AFTER_MS = 250;
/** The client waits for the first asking. */
const DISCARD_DEADLINE_MS = 2_000;
/** Then it is asked in the background, so often that it comes before a worker does when the broker is back. */
const DISCARD_PAUSE_MS = 250;
const DISCARD_FOR_MS = 600_000;

/** A recording on its way from the client's connection to an accepted job. */
export interface Upload {
  store(body: Readable, options: Pick<PutOptions, 'contentType' | 'atLeastBytes'>): Promise<StoredObject>;
  /** @throws ServiceUnavailable, RemoteBreakdown when it was asked again and again without an answer */
  submit(submission: Omit<PayloadOf<typeof SubmitJob>, 'job_id'>): Promise<Result<ReplyOf<typeof SubmitJob>>>;
  /**
   * Asks `jobs` to undo everything. Settles within 2 s, as a rule when the job is hidden; where that cannot be asked
   * now, it goes on asking in the background for ten minutes. Never rejects.
   */
  discard(): Promise<void>;
}

@Injectable()
export class Submissions {
  private readonly log = new Logger(Submissions.name);

  constructor(
    private readonly requester: Requester,
    private readonly objects: ObjectStore,
    private readonly stopped: StoppedUploads,
  ) {}

  /** Makes the row before the first byte is stored: no object is ever without one. */
  async open(
    caller: Owner,
    keyId: string | null,
    filename: string,
    idempotencyKey?: string,
  ): Promise<Upload> {
    const job_id = uuidv7();
    const startedAtMs = performance.now();
    const { source_key, lease_seconds } = valueOf(
      await this.askUntilAnswered(
        OpenUpload,
        {
          ...{ ...caller, job_id, original_filename: filename, key_id: keyId },
          ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
        },
        {
          deadlineMs: OPEN_DEADLINE_MS,
          isToBeAskedAgain: isLate,
          giveUpAtMs: () => startedAtMs + OPEN_WITHIN_MS,
        },
      ),
    );
    const openedAfterMs = performance.now() - startedAtMs;
    return {
      store: (body, { contentType, atLeastBytes }) =>
        this.whileKept(job_id, lease_seconds, (signal) =>
          this.objects.put(source_key, body, {
            contentType,
            ...(atLeastBytes === undefined ? {} : { atLeastBytes }),
            signal,
          }),
        ),
      submit: (submission) => this.submit({ job_id, ...submission }, openedAfterMs),
      discard: () => this.discard(job_id),
    };
  }

  /** One whose client put it into the store itself: it stays, for another try, until its time is over. */
  ofStoreUpload(job_id: string): Pick<Upload, 'submit' | 'discard'> {
    return {
      submit: (submission) => this.submit({ job_id, ...submission }),
      discard: () => Promise.resolve(),
    };
  }

  private submit(
    submission: PayloadOf<typeof SubmitJob>,
    openedAfterMs = 0,
  ): Promise<Result<ReplyOf<typeof SubmitJob>>> {
    return this.askUntilAnswered(SubmitJob, submission, {
      deadlineMs: SUBMIT_DEADLINE_MS,
      isToBeAskedAgain: (error) => isLate(error) || error instanceof ServiceUnavailable,
      giveUpAtMs: () => performance.now() + SUBMIT_AGAIN_FOR_MS - openedAfterMs,
    });
  }

  /**
   * Asks until there is an answer: `jobs` gives the same one to whoever asks again for the same job.
   * @param giveUpAtMs asked when the first answer has not come; after that nothing is asked any more
   */
  private async askUntilAnswered<C extends typeof OpenUpload | typeof SubmitJob>(
    contract: C,
    payload: PayloadOf<C>,
    {
      deadlineMs,
      isToBeAskedAgain,
      giveUpAtMs,
    }: { deadlineMs: number; isToBeAskedAgain: (error: unknown) => boolean; giveUpAtMs: () => number },
  ): Promise<Result<ReplyOf<C>>> {
    let endMs: number | undefined;
    for (;;) {
      try {
        return await this.requester.ask(contract, payload, { deadlineMs });
      } catch (error) {
        if (!isToBeAskedAgain(error)) throw error;
        endMs ??= giveUpAtMs();
        if (performance.now() >= endMs) throw error;
        this.log.warn(`job ${payload.job_id}: ${contract.subject} is asked again: ${String(error)}`);
      }
      await sleep(ASK_AGAIN_AFTER_MS);
      deadlineMs = Math.min(AGAIN_DEADLINE_MS, Math.max(ASK_AGAIN_AFTER_MS, endMs - performance.now()));
    }
  }

  /**
   * Repeated until it is answered: a job that was accepted after all, its answer lost, would otherwise run and be
   * charged although its client was told that nothing was kept. An upload that was never submitted ends with its lease.
   */
  private async discard(job_id: string): Promise<void> {
    const problem = await this.askToDiscard(job_id);
    if (problem === undefined) return;
    this.log.warn(`job ${job_id} waits to be discarded: ${problem}`);
    const giveUpAtMs = performance.now() + DISCARD_FOR_MS;
    void (async () => {
      while (performance.now() < giveUpAtMs) {
        await sleep(DISCARD_PAUSE_MS, undefined, { ref: false });
        if ((await this.askToDiscard(job_id)) === undefined) return;
      }
      this.log.error(`job ${job_id} could not be discarded: nobody answered for ten minutes`);
    })();
  }

  /** @returns why it is not discarded; undefined where it is */
  private async askToDiscard(job_id: string): Promise<string | undefined> {
    try {
      const result = await this.requester.ask(DiscardJob, { job_id }, { deadlineMs: DISCARD_DEADLINE_MS });
      return result.ok ? undefined : result.refusal.detail;
    } catch (error) {
      return String(error);
    }
  }

  /**
   * Says at every third of the lease that bytes still arrive. Stops storing where `jobs` has given the upload up, or
   * must have, because it has not answered for a whole lease.
   */
  private async whileKept<T>(
    job_id: string,
    leaseSeconds: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const givenUp = new AbortController();
    const leaseMs = leaseSeconds * 1000;
    const giveUp = (reason: Error = new Error(`upload ${job_id} was given up`)) => givenUp.abort(reason);
    const unwatch = this.stopped.watch(job_id, giveUp);
    const lease = setTimeout(() => giveUp(), leaseMs);
    const keep = async () => {
      try {
        const kept = await this.requester.ask(KeepUpload, { job_id });
        if (!kept.ok)
          giveUp(kept.refusal.code === 'job_cancelled' ? new RefusalException(kept.refusal) : undefined);
        else if (!givenUp.signal.aborted) lease.refresh();
      } catch (error) {
        this.log.warn(`upload ${job_id} could not be kept: ${String(error)}`);
      }
    };
    const timer = setInterval(() => void keep(), leaseMs / 3);
    try {
      return await work(givenUp.signal);
    } finally {
      clearInterval(timer);
      clearTimeout(lease);
      unwatch();
      // An answer that comes later must not start the time again.
      givenUp.abort();
    }
  }
}

/** Whether somebody was there who did not manage to answer. */
function isLate(error: unknown): boolean {
  return (
    error instanceof RemoteBreakdown || (error instanceof ServiceUnavailable && error.why === 'deadline')
  );
}
