import {
  accept,
  CaptureForJob,
  HoldForJob,
  type PayloadOf,
  refuse,
  ReleaseForJob,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import {
  captureHold,
  chargedAmounts,
  emptyHold,
  heldAmounts,
  type Hold,
  type JobOfAccount,
  type PendingHold,
  placeHold,
  raiseHold,
  releaseHold,
  secondsOf,
} from '../ledger/holds';
import { alreadySettled, notTheirJob } from '../ledger/refusals';
import { Journal } from '../storage/journal';
import type { Page } from '../storage/page';
import { CurrentTerms } from './terms';

/** Credit set aside for a job, and what becomes of it: captured or released, once. */
@Controller()
export class HoldsController {
  constructor(
    private readonly journal: Journal,
    private readonly terms: CurrentTerms,
  ) {}

  @Answers(HoldForJob)
  hold(wanted: PayloadOf<typeof HoldForJob>): Promise<Result<Held>> {
    const { account_id, job_id, seconds, option = 'transcription', key_id: keyId = null } = wanted;
    return this.journal.book({ accountIds: [account_id], jobIds: [job_id] }, (page) => {
      const request = { accountId: account_id, jobId: job_id, seconds: BigInt(seconds), option, keyId };
      const books = page.books(account_id);
      if (!books) return refuse('account_not_found');
      const before = page.hold(job_id);
      if (before && before.accountId !== account_id) return notTheirJob(job_id);
      const step = before
        ? raiseHold(books, before, request.seconds)
        : placeHold(books, request, this.terms.of(option));
      if (!step.ok) return step;
      const { hold, postings } = step.value;
      if (!before) {
        page.book({ kind: 'hold', reference: job_id, accountId: account_id, hold, postings });
      } else if (secondsOf(hold) > secondsOf(before)) {
        // A hold only ever grows, so its new length tells each raise from every other.
        const reference = `${job_id} to ${secondsOf(hold)} s`;
        page.book({ kind: 'raise_hold', reference, accountId: account_id, hold, postings });
      }
      return accept({
        held_seconds: Number(secondsOf(hold)),
        price_per_minute_micro_aud: Number(hold.pricePerMinuteMicroAud),
      });
    });
  }

  @Answers(CaptureForJob)
  capture({ job_id, seconds }: PayloadOf<typeof CaptureForJob>): Promise<Result<Charged>> {
    return this.journal.book({ jobIds: [job_id] }, (page) => {
      const before = page.hold(job_id);
      if (!before) return refuse('conflict', `No credit is held for job ${job_id}.`);
      if (before.state === 'captured') return accept(chargeOf(before));
      if (before.state === 'released') return alreadySettled(before);
      const step = captureHold(booksOf(before, page), before, BigInt(seconds));
      if (!step.ok) return step;
      page.book({ kind: 'capture', reference: job_id, accountId: before.accountId, ...step.value });
      return accept(chargeOf(step.value.hold));
    });
  }

  @Answers(ReleaseForJob)
  release({ account_id, job_id, reason }: PayloadOf<typeof ReleaseForJob>): Promise<Result<Released>> {
    return this.journal.book({ accountIds: [account_id], jobIds: [job_id] }, (page) => {
      const placed = page.hold(job_id);
      if (placed && placed.accountId !== account_id) return notTheirJob(job_id);
      // Where there are no books, a late hold is refused as well.
      if (!page.books(account_id)) return accept({ released_micro_aud: 0, released_free_seconds: 0 });
      const before = placed ?? this.placeEmpty({ accountId: account_id, jobId: job_id }, page);
      if (before.state === 'captured') return alreadySettled(before);
      if (before.state === 'pending') {
        const step = releaseHold(before, reason);
        page.book({ kind: 'release', reference: job_id, accountId: before.accountId, reason, ...step });
      }
      const { microAud, freeSeconds } = heldAmounts(before);
      return accept({ released_micro_aud: Number(microAud), released_free_seconds: Number(freeSeconds) });
    });
  }

  /** A transaction of its own, as for any other hold: that a job's is booked once keeps two replicas from placing two. */
  private placeEmpty(job: JobOfAccount, page: Page): PendingHold {
    const acceptance = { option: 'transcription', keyId: null } as const;
    const hold = emptyHold(job, this.terms.of(acceptance.option), acceptance);
    page.book({ kind: 'hold', reference: job.jobId, accountId: job.accountId, hold, postings: [] });
    return hold;
  }
}

type Held = ReplyOf<typeof HoldForJob>;
type Charged = ReplyOf<typeof CaptureForJob>;
type Released = ReplyOf<typeof ReleaseForJob>;

/** The page has the books of every hold's account on it. */
function booksOf(hold: Hold, page: Page) {
  return page.books(hold.accountId)!;
}

function chargeOf(hold: Extract<Hold, { state: 'captured' }>): Charged {
  const { microAud, freeSeconds } = chargedAmounts(hold);
  return { charged_micro_aud: Number(microAud), charged_free_seconds: Number(freeSeconds) };
}
