import type { PayloadOf, SubmitJob } from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { JOBS_CONFIG, type JobsConfig } from '../config';
import {
  findKey,
  freeUnacceptedKeys,
  insertKey,
  shareKey,
  type OwnedKey,
} from '../storage/idempotency-records';
import { extendUpload, type JobRecord } from '../storage/job-records';

/** What a client's Idempotency-Key says of a submission. */
export type Idempotency = NonNullable<PayloadOf<typeof SubmitJob>['idempotency']>;

export type Claim =
  /** This job is the one that the key stands for: submit it. */
  | { kind: 'ours' }
  /** An equal request was accepted: its receipt is the answer, and this job is not to be. */
  | { kind: 'accepted'; jobId: string }
  /** The key stands for another file, or other fields. */
  | { kind: 'other_request' }
  /** An equal request is still being submitted, and was for as long as one may wait. */
  | { kind: 'pending' };

/** Shorter than a gateway waits for its answer. */
const WAIT_MS = 20_000;
/** Where another replica is at it; what ends here is heard at once. Twice as long each time. */
const LOOK_AGAIN_MS = { first: 50, longest: 1_000 };

/**
 * Who of equal submissions under one key becomes the job: the one whose row in `idempotency_keys` is there first. The others
 * wait for what becomes of it, holding neither a lock nor a connection. See docs/decisions/0015-idempotency.md.
 */
@Injectable()
export class IdempotencyKeys {
  /** What is being submitted in this process, by account, mode and key. */
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly source: DataSource,
    @Inject(JOBS_CONFIG) private readonly config: JobsConfig,
  ) {}

  /** Claims the key for a job that is to be submitted, before anything is held for it. */
  async claim(job: JobRecord, idempotency: Idempotency): Promise<Claim> {
    const owned = ownedKey(job, idempotency);
    const { fingerprint } = idempotency;
    const giveUpAtMs = performance.now() + WAIT_MS;
    for (let pauseMs = LOOK_AGAIN_MS.first; ; pauseMs = Math.min(2 * pauseMs, LOOK_AGAIN_MS.longest)) {
      const claimed = await findKey(this.source, owned);
      if (!claimed) {
        if (await insertKey(this.source, owned, fingerprint, job.id)) return { kind: 'ours' };
        continue;
      }
      if (claimed.fingerprint !== fingerprint) return { kind: 'other_request' };
      // The answer to an earlier asking was lost.
      if (claimed.job_id === job.id) return { kind: 'ours' };
      if (claimed.accepted_at !== null) {
        const jobId = await shareKey(this.source, owned, fingerprint);
        if (jobId !== undefined) return { kind: 'accepted', jobId };
        continue;
      }
      if (!claimed.is_uploading) {
        // A discard frees the keys of its job itself; whatever else ended it leaves that to whoever comes next.
        await freeUnacceptedKeys(this.source, claimed.job_id);
        continue;
      }
      if (performance.now() >= giveUpAtMs) return { kind: 'pending' };
      // Its client waits for us: this upload must still be there when it is its turn.
      await extendUpload(this.source, job.id, this.config.UPLOAD_LEASE_SECONDS);
      const pause = sleep(pauseMs);
      await Promise.race([pause, this.underWay.get(nameOf(owned)) ?? pause]);
    }
  }

  /** Submits a job that has claimed its key; whoever waits for that here is woken when it is over. */
  async whileClaimed<T>(job: JobRecord, idempotency: Idempotency, submit: () => Promise<T>): Promise<T> {
    const name = nameOf(ownedKey(job, idempotency));
    const submitted = submit();
    const over = submitted.then(
      () => undefined,
      () => undefined,
    );
    this.underWay.set(name, over);
    try {
      return await submitted;
    } finally {
      if (this.underWay.get(name) === over) this.underWay.delete(name);
    }
  }

  /** The job whose receipt answers an equal request that was withdrawn in favour of it, the answer having been lost. */
  jobOf(job: JobRecord, idempotency: Idempotency): Promise<string | undefined> {
    return shareKey(this.source, ownedKey(job, idempotency), idempotency.fingerprint);
  }
}

export function ownedKey(
  { account_id, mode }: Pick<JobRecord, 'account_id' | 'mode'>,
  { key }: Idempotency,
): OwnedKey {
  return { account_id, mode, key };
}

function nameOf({ account_id, mode, key }: OwnedKey): string {
  return `${account_id} ${mode} ${key}`;
}
