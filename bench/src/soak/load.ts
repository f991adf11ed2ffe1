import { setTimeout as sleep } from 'node:timers/promises';
import type { TestPlatform } from '@currawong/testing';
import { Customer, newCustomer } from '../customer';
import { tone } from '../recordings';

/** As many as keep two cores busy; each has its next recording accepted when one of its own has ended. */
const CLIENTS = 8;
const UNFINISHED_EACH = 4;
const AUDIO_SECONDS = 3;
const POLL_MS = 250;
const PAUSE_AFTER_REFUSAL_MS = 1_000;

/** What customers do, as fast as the platform lets them. */
export class Load {
  readonly latenciesMs: number[] = [];
  finished = 0;
  /** Answers other than 200, and jobs that failed: what was said, and how often. */
  readonly trouble = new Map<string, number>();
  private readonly recording = tone(AUDIO_SECONDS);
  private stopping = false;

  private constructor(private readonly customers: readonly Customer[]) {}

  static async open(platform: TestPlatform): Promise<Load> {
    return new Load(await Promise.all(Array.from({ length: CLIENTS }, () => newCustomer(platform))));
  }

  /** Until `stop`; what was accepted by then is waited for. */
  async run(): Promise<void> {
    await Promise.all(
      this.customers.flatMap((customer) =>
        Array.from({ length: UNFINISHED_EACH }, () => this.oneAfterTheOther(customer)),
      ),
    );
    for (const customer of this.customers) customer.close();
  }

  stop(): void {
    this.stopping = true;
  }

  /** Those since it was asked last. */
  takeLatencies(): number[] {
    return this.latenciesMs.splice(0);
  }

  private async oneAfterTheOther(customer: Customer): Promise<void> {
    while (!this.stopping) {
      try {
        const { jobId, beganAtMs } = await customer.submit(this.recording);
        const { completedAtMs } = await customer.completed(jobId, POLL_MS, 600);
        this.latenciesMs.push(completedAtMs - beganAtMs);
        this.finished++;
      } catch (error) {
        const said = (error as Error).message.replace(/[0-9a-f-]{36}/g, '…');
        this.trouble.set(said, (this.trouble.get(said) ?? 0) + 1);
        await sleep(PAUSE_AFTER_REFUSAL_MS);
      }
    }
  }
}
