import type { Answer } from './http';

export interface Account {
  readonly name: string;
  readonly id: string;
  readonly apiKey: string;
  readonly mode: 'live' | 'test';
}

/** One recording that a client sent, once or, with an idempotency key, several times. */
export interface Submission {
  readonly filename: string;
  readonly account: Account;
  /** What its job must be charged for; null where it is refused or fails. */
  readonly seconds: number | null;
  readonly answers: Answer[];
  /** Ids of all receipts: a retried submission must have one. */
  readonly jobIds: Set<string>;
  readonly webhookUrl: string | undefined;
}

/** A job as the client saw it: from its receipt to its end. */
export interface SeenJob {
  readonly id: string;
  readonly submission: Submission;
  /** The first terminal state that was seen; it must never be another one. */
  end: Ending | undefined;
  /** What contradicts it. */
  readonly contradictions: string[];
  /** `asked`: a deletion was sent whose answer was lost; both outcomes are right. */
  deletion: 'no' | 'asked' | 'cancelled' | 'erased';
}

export interface Ending {
  status: string;
  completedAt: unknown;
  costAud: unknown;
  errorMessage: unknown;
}

/** Everything that clients were told. */
export class ClientRecord {
  readonly submissions: Submission[] = [];
  readonly jobs = new Map<string, SeenJob>();
  /** Answers that no client should ever get. */
  readonly impossible: string[] = [];
  readonly counts: Record<string, number> = {};

  answered(what: string, answer: Answer): void {
    const outcome = answer.kind === 'answered' ? String(answer.status) : 'broken';
    const key = `${what} ${outcome}`;
    this.counts[key] = (this.counts[key] ?? 0) + 1;
    if (answer.seconds > 60)
      this.impossible.push(
        `${what} took ${answer.seconds.toFixed(0)} s to be ${outcome}: at most 60 s are honest.`,
      );
    if (answer.kind === 'broken') return;
    if (answer.body === undefined)
      this.impossible.push(`${what} was answered ${answer.status} with something that is no JSON.`);
    else if (answer.status >= 400 && typeof answer.body['detail'] !== 'string')
      this.impossible.push(`${what} was answered ${answer.status} without a detail.`);
  }

  receipt(submission: Submission, answer: Answer): SeenJob | undefined {
    submission.answers.push(answer);
    if (answer.kind !== 'answered' || answer.status !== 200) return undefined;
    const id = String(answer.body?.['job_id']);
    submission.jobIds.add(id);
    const known = this.jobs.get(id);
    if (known) return known;
    const job: SeenJob = { id, submission, end: undefined, contradictions: [], deletion: 'no' };
    this.jobs.set(id, job);
    return job;
  }

  /** Notes what GET /jobs/{id} said. */
  seen(job: SeenJob, answer: Answer): void {
    if (answer.kind !== 'answered' || answer.status >= 500 || answer.status === 429) return;
    if (answer.status === 404) {
      if (job.deletion === 'no') job.contradictions.push('it was answered 200 and then does not exist (404)');
      return;
    }
    const body = answer.body ?? {};
    const now: Ending = {
      status: String(body['status']),
      completedAt: body['completed_at'],
      costAud: body['cost_aud'],
      errorMessage: body['error_message'],
    };
    const isTerminal = now.status === 'completed' || now.status === 'failed';
    if (job.end) {
      const differs = (Object.keys(now) as (keyof Ending)[]).filter((name) => now[name] !== job.end![name]);
      if (differs.length > 0)
        job.contradictions.push(
          `it had ended as ${JSON.stringify(job.end)} and was then shown as ${JSON.stringify(now)}`,
        );
    } else if (isTerminal) job.end = now;
  }

  unfinished(): SeenJob[] {
    return [...this.jobs.values()].filter((job) => !job.end && job.deletion === 'no');
  }
}
