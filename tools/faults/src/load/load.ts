import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, GATEWAYS } from '../arena/arena';
import type { Random } from '../random';
import { get, post, remove, type Answer } from './http';
import { ClientRecord, type Account, type SeenJob, type Submission } from './record';
import { heavy, long, poison, short, tone, type Recording } from './recordings';
import type { Abilities } from './abilities';

/** What customers do all the time: send recordings of all kinds, go away in the middle, poll, look at their credit. */
export class Load {
  readonly record = new ClientRecord();
  private sent = 0;
  private stopping = new AbortController();
  private running: Promise<unknown>[] = [];

  constructor(
    private readonly arena: Arena,
    private readonly accounts: readonly Account[],
    private readonly abilities: Abilities,
    private readonly webhookUrl: string | undefined,
    private readonly paceSeconds: number,
  ) {}

  /** Several customers at a time, until `pause`. */
  start(random: Random): void {
    this.stopping = new AbortController();
    this.running = [
      ...this.accounts.map((account) => this.customer(account, random.fork())),
      this.poller(random.fork()),
    ];
  }

  /** Nothing new is sent; what is on its way is waited for. */
  async pause(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  /** One recording, to whichever gateway. */
  async submit(
    account: Account,
    recording: Recording,
    random: Random,
    options: { abortAt?: number; paceMs?: number } = {},
  ): Promise<SeenJob | undefined> {
    const submission: Submission = {
      filename: recording.filename,
      account,
      seconds: recording.seconds,
      answers: [],
      jobIds: new Set(),
      webhookUrl: this.webhookUrl,
    };
    this.record.submissions.push(submission);
    const idempotent = this.abilities.idempotency && random.chance(0.5);
    const headers = {
      'X-API-Key': account.apiKey,
      ...(idempotent ? { 'Idempotency-Key': `faults-${recording.filename}` } : {}),
    };
    const fields = {
      num_speakers: '1',
      ...(this.webhookUrl === undefined ? {} : { webhook_url: this.webhookUrl }),
    };
    const send = async (abort: boolean): Promise<SeenJob | undefined> => {
      const file = { ...recording, paceMs: options.paceMs, abortAt: abort ? options.abortAt : undefined };
      const answer = await post(`${this.gateway(random)}/api/v1/transcribe`, headers, file, fields);
      this.record.answered(
        abort && options.abortAt !== undefined ? 'aborted upload' : 'POST /transcribe',
        answer,
      );
      return this.record.receipt(submission, answer);
    };
    let job = await send(true);
    // A client with a key sends again what it had no answer to; now and then also what it had an answer to.
    for (let tries = 0; idempotent && tries < 3; tries++) {
      const last = submission.answers.at(-1)!;
      const unclear = last.kind === 'broken' || last.status >= 500 || last.status === 409;
      if (!unclear && !random.chance(0.2)) break;
      await this.wait(random.between(0.2, 1));
      job = (await send(false)) ?? job;
    }
    return job;
  }

  name(kind: string): string {
    this.sent += 1;
    return `${kind}-${this.sent}`;
  }

  accountNamed(name: string): Account {
    const found = this.accounts.find((account) => account.name === name);
    if (!found) throw new Error(`There is no account ${name}.`);
    return found;
  }

  async poll(job: SeenJob, random: Random): Promise<Answer> {
    const answer = await get(`${this.gateway(random)}/api/v1/jobs/${job.id}`, job.submission.account.apiKey);
    this.record.answered('GET /jobs/{id}', answer);
    this.record.seen(job, answer);
    return answer;
  }

  private async customer(account: Account, random: Random): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.oneThing(account, random);
      await this.wait(random.between(0.2, 1.8) * this.paceSeconds);
    }
  }

  private async oneThing(account: Account, random: Random): Promise<void> {
    const draw = random.fraction();
    if (account.name === 'poor') {
      // Longer than there is credit for: refused after it was stored.
      const recording =
        draw < 0.5 ? tone(this.name('dear'), 1_600, { rate: 2_000 }) : short(this.name('poor'), random);
      await this.submit(account, { ...recording, seconds: recording.seconds }, random);
    } else if (draw < 0.6) await this.submit(account, short(this.name('short'), random), random);
    else if (draw < 0.75) await this.submit(account, long(this.name('long'), random), random);
    else if (draw < 0.83) {
      const recording = random.chance(0.4)
        ? heavy(this.name('left'), random)
        : short(this.name('left'), random);
      await this.submit(account, recording, random, { abortAt: random.oneOf([0, 0.5, 0.99]) });
    } else if (draw < 0.9) await this.submit(account, poison(this.name('poison'), random), random);
    else if (draw < 0.94) await this.submit(account, heavy(this.name('heavy'), random), random);
    else await this.look(account, random);
    if (this.abilities.deletion && random.chance(0.12)) await this.deleteOne(account, random);
  }

  private async look(account: Account, random: Random): Promise<void> {
    const path = random.oneOf(['credit', 'usage', 'jobs?page_size=50', 'queue/status']);
    const answer = await get(`${this.gateway(random)}/api/v1/${path}`, account.apiKey);
    this.record.answered(`GET /${path.split('?')[0]}`, answer);
  }

  /** Cancels what is under way, or erases what has ended. */
  private async deleteOne(account: Account, random: Random): Promise<void> {
    const own = [...this.record.jobs.values()].filter(
      (job) => job.submission.account === account && job.deletion === 'no',
    );
    if (own.length === 0) return;
    // The newest as a rule, so that cancellations meet jobs at all their stages.
    const job = random.chance(0.7) ? own.at(-1)! : random.oneOf(own);
    await this.wait(random.between(0, 1.5));
    const before = job.deletion;
    job.deletion = 'asked';
    const answer = await remove(`${this.gateway(random)}/api/v1/jobs/${job.id}`, account.apiKey);
    this.record.answered('DELETE /jobs/{id}', answer);
    if (answer.kind === 'broken' || answer.status >= 500) return;
    if (answer.status >= 400) job.deletion = before;
    else job.deletion = answer.body?.['cancelled_at'] == null ? 'erased' : 'cancelled';
  }

  private async poller(random: Random): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const jobs = this.record.unfinished();
      const ended = [...this.record.jobs.values()].filter((job) => job.end);
      if (ended.length > 0) jobs.push(random.oneOf(ended));
      for (const job of random.shuffled(jobs).slice(0, 5)) await this.poll(job, random);
      await this.wait(0.3);
    }
  }

  private gateway(random: Random): string {
    return this.arena.services.baseUrlOf(random.oneOf(GATEWAYS));
  }

  private async wait(seconds: number): Promise<void> {
    await sleep(seconds * 1000, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
