import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '@currawong/local-platform';
import { type Arena, NotHealthy } from './arena/arena';
import type { FaultKind, PlannedFault, Scene } from './faults/fault';
import { brokenInvariants } from './invariants/check';
import { collectFacts, type ListedJob } from './invariants/facts';
import { MessageWatch } from './invariants/messages';
import { abilitiesOf } from './load/abilities';
import { makeAccounts } from './load/accounts';
import { get } from './load/http';
import { Load } from './load/load';
import { WebhookReceiver } from './load/webhook-receiver';
import type { Account } from './load/record';
import { stretch } from './busy-machine';
import { untilQuiet } from './quiet';
import { Random } from './random';
import { type Round, schedule } from './schedule';
import type { Timeline } from './timeline';

/** After a fault is mended everything is to be healthy within this, without a restart of anything. */
const HEALTHY_WITHIN_SECONDS = 15;

export interface RunOptions {
  readonly seed: number;
  /** No new round begins after this. */
  readonly seconds: number;
  readonly kinds: readonly FaultKind[];
  readonly outageSeconds: number;
  /** Every accepted job is to have ended within this after the load has paused. */
  readonly quietWithinSeconds: number;
  /** Also on a machine that others keep busy. */
  readonly quietAtMostSeconds?: number;
  /** Between two things that a customer does, on average. */
  readonly paceSeconds: number;
}

export interface RunReport {
  /** Empty where every invariant held. */
  readonly problems: readonly string[];
  readonly rounds: number;
  readonly injected: Readonly<Record<string, number>>;
  /** Faults that this machine does not allow, and why. */
  readonly skipped: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, number>>;
  readonly slowestRecoverySeconds: number;
  readonly slowestQuietSeconds: number;
  readonly messagesCompared: number;
  readonly answers: Readonly<Record<string, number>>;
}

/** One run: rounds of load and faults, each followed by a check of everything, until the time is over or something broke. */
export class FaultRun {
  private readonly injected: Record<string, number> = {};
  private readonly skipped: Record<string, string> = {};
  private rounds = 0;
  private slowestRecoverySeconds = 0;
  private slowestQuietSeconds = 0;
  private problems: string[] = [];

  private constructor(
    private readonly arena: Arena,
    private readonly options: RunOptions,
    private readonly timeline: Timeline,
    private readonly accounts: readonly Account[],
    readonly load: Load,
    private readonly watch: MessageWatch,
    private readonly receiver: WebhookReceiver,
  ) {}

  static async over(arena: Arena, options: RunOptions, timeline: Timeline): Promise<FaultRun> {
    const [accounts, abilities, watch, receiver] = await Promise.all([
      makeAccounts(arena),
      abilitiesOf(arena),
      MessageWatch.over(arena),
      WebhookReceiver.start(new Random(options.seed)),
    ]);
    timeline.note(`the interface offers: ${JSON.stringify(abilities)}`);
    const load = new Load(
      arena,
      accounts,
      abilities,
      abilities.webhooks ? receiver.url : undefined,
      options.paceSeconds,
    );
    return new FaultRun(arena, options, timeline, accounts, load, watch, receiver);
  }

  async run(isStopped: () => boolean = () => false): Promise<RunReport> {
    const kinds = this.options.kinds.filter((kind) => {
      const remark = kind.unavailable?.(this.arena);
      if (remark === undefined) return true;
      this.timeline.note(`${kind.name} is skipped: ${remark}`);
      this.skipped[kind.name] = remark;
      return false;
    });
    if (kinds.length === 0) throw new SetupError('None of the faults can happen on this machine.');
    const until = performance.now() + this.options.seconds * 1000;
    for (const round of schedule(this.options.seed, kinds)) {
      await this.round(round);
      if (this.problems.length > 0 || isStopped() || performance.now() > until) break;
    }
    return this.report();
  }

  /** One round of what is given, and the check after it. @returns what is broken */
  async round(round: Round): Promise<readonly string[]> {
    this.rounds += 1;
    this.timeline.note(
      `── round ${this.rounds}: ${round.faults.map(({ what }) => what).join(' | ') || 'no fault'}`,
    );
    this.load.start(new Random(round.loadSeed));
    await Promise.all(round.faults.map((fault, at) => this.happens(fault, round.delays[at] ?? 0)));
    try {
      const seconds = await this.arena.untilHealthy(HEALTHY_WITHIN_SECONDS * stretch());
      this.slowestRecoverySeconds = Math.max(this.slowestRecoverySeconds, seconds);
      this.timeline.note(`healthy ${seconds.toFixed(1)} s after the last fault was mended`);
    } catch (error) {
      if (!(error instanceof NotHealthy)) throw error;
      this.problems.push(`Health: ${error.message}`);
    }
    await this.load.pause();
    await this.check();
    return this.problems;
  }

  async close(): Promise<void> {
    await this.load.pause();
    await this.watch.close();
    await this.receiver.close();
  }

  private async happens(fault: PlannedFault, delaySeconds: number): Promise<void> {
    await sleep(delaySeconds * 1000);
    this.timeline.note(`${fault.kind}: ${fault.what}`);
    this.injected[fault.kind] = (this.injected[fault.kind] ?? 0) + 1;
    await fault.happen(this.scene(fault.kind));
    this.timeline.note(`${fault.kind}: mended`);
  }

  private scene(kind: string): Scene {
    return {
      arena: this.arena,
      load: this.load,
      watch: this.watch,
      outageSeconds: this.options.outageSeconds,
      note: (text) => this.timeline.note(`${kind}: ${text}`),
    };
  }

  private async check(): Promise<void> {
    const withinSeconds = Math.min(
      this.options.quietWithinSeconds * stretch(),
      this.options.quietAtMostSeconds ?? Infinity,
    );
    const { seconds, left } = await untilQuiet(this.arena, withinSeconds);
    this.slowestQuietSeconds = Math.max(this.slowestQuietSeconds, seconds);
    this.timeline.note(
      left ? `not quiet after ${seconds.toFixed(1)} s: ${left}` : `quiet after ${seconds.toFixed(1)} s`,
    );
    const random = new Random(1);
    const record = this.load.record;
    const jobs = [...record.jobs.values()].filter(({ deletion }) => deletion === 'no');
    // Those without an end, and the newest once more: an end is final.
    const again = new Set([...jobs.filter((job) => !job.end), ...jobs.slice(-80)]);
    await inTurns([...again], 8, (job) => this.load.poll(job, random));
    const [listed, credit] = await Promise.all([this.listed(), this.credit()]);
    const seen = { messageProblems: this.watch.problems, listed, credit, told: this.receiver.told };
    const facts = await collectFacts(this.arena, record, seen);
    this.problems.push(...brokenInvariants(facts));
    for (const problem of this.problems) this.timeline.note(`✗ ${problem}`);
    if (this.problems.length === 0)
      this.timeline.note(`✓ I1–I5 hold: ${facts.jobs.length} jobs, ${facts.objects.length} objects`);
  }

  private async listed(): Promise<ListedJob[]> {
    const all = await Promise.all(
      this.accounts.map(async ({ id: account, apiKey }) => {
        const found: ListedJob[] = [];
        for (let page = 1; ; page++) {
          const url = `${this.arena.services.baseUrl}/api/v1/jobs?page=${page}&page_size=100`;
          const answer = await get(url, apiKey);
          if (answer.kind === 'broken' || answer.status !== 200)
            throw new Error(`GET /jobs gave ${JSON.stringify(answer)} on a platform that is healthy.`);
          const jobs = answer.body!['jobs'] as { id: string; original_filename: string; status: string }[];
          found.push(
            ...jobs.map(({ id, original_filename: filename, status }) => ({ account, id, filename, status })),
          );
          if (jobs.length < 100) return found;
        }
      }),
    );
    return all.flat();
  }

  private async credit(): Promise<{ account: string; usedAud: string }[]> {
    return Promise.all(
      this.accounts
        .filter(({ mode }) => mode === 'live')
        .map(async ({ id: account, apiKey }) => {
          const answer = await get(`${this.arena.services.baseUrl}/api/v1/credit`, apiKey);
          if (answer.kind === 'broken' || answer.status !== 200)
            throw new Error(`GET /credit gave ${JSON.stringify(answer)} on a platform that is healthy.`);
          return { account, usedAud: String(answer.body!['total_used_aud']) };
        }),
    );
  }

  private report(): RunReport {
    const jobs = [...this.load.record.jobs.values()];
    const ended = (status: string) => jobs.filter((job) => job.end?.status === status).length;
    return {
      problems: this.problems,
      rounds: this.rounds,
      injected: this.injected,
      skipped: this.skipped,
      jobs: {
        accepted: jobs.length,
        completed: ended('completed'),
        failed: ended('failed'),
        deleted: jobs.filter(({ deletion }) => deletion !== 'no').length,
      },
      slowestRecoverySeconds: this.slowestRecoverySeconds,
      slowestQuietSeconds: this.slowestQuietSeconds,
      messagesCompared: this.watch.compared,
      answers: this.load.record.counts,
    };
  }
}

async function inTurns<T>(
  items: readonly T[],
  width: number,
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await act(item);
    }),
  );
}
