import { FollowJobs, GetJob, type JobView, type Owner } from '@currawong/contracts';
import { Requester, ServiceUnavailable } from '@currawong/messaging';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { valueOf } from '../../http/refusal.exception';

/** As many as one question may be about. */
const AT_A_TIME = 200;
const EVERY_MS = 1_000;
/** Notices of one moment, such as those of many workers, become one question. */
const GATHER_MS = 50;
const DEADLINE_MS = 3_000;
/** Nobody is kept waiting in silence for longer. */
const UNANSWERED_MS = 30_000;

/** The job was deleted while it was followed. */
export class JobGone extends Error {
  override readonly name = 'JobGone';
}

interface Followed {
  owner: Owner;
  jobId: string;
  answeredAtMs: number;
  followers: Set<Follower>;
}

/** The newest that is known and was not taken yet; what comes before it is taken replaces it. */
class Follower {
  private news: { view: JobView } | { error: Error } | undefined;
  private wake: (() => void) | undefined;

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', this.onAbort);
  }

  leave(): void {
    this.signal.removeEventListener('abort', this.onAbort);
  }

  tell(news: { view: JobView } | { error: Error }): void {
    this.news = news;
    this.wake?.();
  }

  /** @throws the error that it was told, or the signal's reason */
  async next(): Promise<JobView> {
    if (!this.news && !this.signal.aborted) await new Promise<void>((resolve) => (this.wake = resolve));
    this.signal.throwIfAborted();
    const news = this.news!;
    this.news = undefined;
    if ('error' in news) throw news.error;
    return news.view;
  }

  private readonly onAbort = () => this.wake?.();
}

/**
 * How jobs stand, as it changes, for everybody at this gateway who waits for some: one question about all of them every
 * second, and at once about those of which something was heard. That is all there is to it: a notice that is lost, or
 * another gateway, changes nothing but by how much of a second the news is late.
 */
@Injectable()
export class Following implements BeforeApplicationShutdown {
  private readonly log = new Logger(Following.name);
  /** By the job's id, since every heartbeat of every worker asks for one; each holds one entry to an owner. */
  private readonly followed = new Map<string, Followed[]>();
  private readonly moved = new Set<string>();
  private round: NodeJS.Timeout | undefined;
  private gathering: NodeJS.Timeout | undefined;

  constructor(private readonly requester: Requester) {}

  /**
   * The job as it is now, and each time that it is otherwise, until it has ended.
   * @throws RefusalException where there is no such job; JobGone when it is deleted meanwhile; ServiceUnavailable where
   *   nobody answers for half a minute; the signal's reason
   */
  async *follow(owner: Owner, jobId: string, signal: AbortSignal): AsyncGenerator<JobView, void, void> {
    const follower = new Follower(signal);
    const leave = this.enter(owner, jobId, follower);
    try {
      let view = valueOf(await this.requester.ask(GetJob, { ...owner, job_id: jobId }));
      for (;;) {
        yield view;
        if (hasEnded(view)) return;
        view = await follower.next();
      }
    } finally {
      leave();
      follower.leave();
    }
  }

  /** The job when it has ended. @throws as `follow` */
  async ended(owner: Owner, jobId: string, signal: AbortSignal): Promise<JobView> {
    for await (const view of this.follow(owner, jobId, signal)) if (hasEnded(view)) return view;
    throw new Error(`job ${jobId} was not followed to its end`);
  }

  /** Something of a job is otherwise; whoever follows it here is to know soon. */
  noteMoved(jobId: string): void {
    if (!this.followed.has(jobId)) return;
    this.moved.add(jobId);
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      const wanted = [...this.moved].flatMap((moved) => this.followed.get(moved) ?? []);
      this.moved.clear();
      void this.askAll(wanted);
    }, GATHER_MS);
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.round);
    clearTimeout(this.gathering);
    this.followed.clear();
  }

  private enter(owner: Owner, jobId: string, follower: Follower): () => void {
    const ofJob = this.followed.get(jobId) ?? [];
    this.followed.set(jobId, ofJob);
    const followed = ofJob.find(({ owner: other }) => isSame(other, owner)) ?? {
      ...{ owner, jobId, answeredAtMs: performance.now(), followers: new Set<Follower>() },
    };
    if (!ofJob.includes(followed)) ofJob.push(followed);
    followed.followers.add(follower);
    this.round ??= setTimeout(() => void this.goRound(), EVERY_MS);
    return () => this.leave(followed, follower);
  }

  private leave(followed: Followed, follower: Follower): void {
    followed.followers.delete(follower);
    const ofJob = this.followed.get(followed.jobId);
    if (followed.followers.size > 0 || !ofJob?.includes(followed)) return;
    ofJob.splice(ofJob.indexOf(followed), 1);
    if (ofJob.length === 0) this.followed.delete(followed.jobId);
  }

  private async goRound(): Promise<void> {
    await this.askAll([...this.followed.values()].flat());
    this.round = this.followed.size > 0 ? setTimeout(() => void this.goRound(), EVERY_MS) : undefined;
  }

  private async askAll(wanted: readonly Followed[]): Promise<void> {
    for (let start = 0; start < wanted.length; start += AT_A_TIME)
      await this.ask(wanted.slice(start, start + AT_A_TIME));
  }

  /** Never throws: whoever is not answered for too long is told so. */
  private async ask(wanted: readonly Followed[]): Promise<void> {
    try {
      const asked = wanted.map(({ owner: { account_id, mode }, jobId }) => ({
        ...{ account_id, mode, job_id: jobId },
      }));
      const answer = await this.requester.ask(FollowJobs, { jobs: asked }, { deadlineMs: DEADLINE_MS });
      const views = new Map(valueOf(answer).jobs.map((view) => [view.id, view]));
      for (const followed of wanted) {
        followed.answeredAtMs = performance.now();
        const view = views.get(followed.jobId);
        for (const follower of followed.followers)
          follower.tell(view ? { view } : { error: new JobGone(`job ${followed.jobId} is gone`) });
      }
    } catch (error) {
      this.log.warn(`${wanted.length} jobs cannot be followed now: ${String(error)}`);
      for (const { answeredAtMs, followers } of wanted)
        if (performance.now() - answeredAtMs > UNANSWERED_MS)
          for (const follower of followers) follower.tell({ error: asUnavailable(error) });
    }
  }
}

export function hasEnded({ status }: Pick<JobView, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}

function isSame(one: Owner, other: Owner): boolean {
  return one.account_id === other.account_id && one.mode === other.mode;
}

function asUnavailable(error: unknown): Error {
  return error instanceof Error ? error : new ServiceUnavailable(FollowJobs.subject, 'deadline');
}
