import { CheckBillingReady, CheckJobsReady, type Result } from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Requester } from '@currawong/messaging';
import { ObjectStore } from '@currawong/object-store';
import { Injectable, Logger } from '@nestjs/common';

const REMEMBER_MS = 1_000;
/** What was missing may be back at any moment, and somebody is sent away for it. */
const REMEMBER_MISSING_MS = 100;
const CHECK_DEADLINE_MS = 2_000;
/** A look that is older says nothing of now: one begins every second while anybody asks, and takes two at most. */
const KNOWN_FOR_MS = 5_000;
const LATE = Symbol('late');

/** Whether a recording sent now would be accepted: everything that takes part in accepting one is asked. */
@Injectable()
export class Dependencies {
  private readonly log = new Logger(Dependencies.name);
  private checked: { untilMs: number; missing: Promise<string[]> } | undefined;
  private known: { atMs: number; missing: readonly string[] } | undefined;
  private readonly asked = new Map<string, Promise<unknown>>();
  private readonly checks: Record<string, () => Promise<unknown>>;

  constructor(source: DataSource, store: ObjectStore, requester: Requester) {
    const options = { deadlineMs: CHECK_DEADLINE_MS };
    this.checks = {
      accounts: () => source.query('SELECT 1'),
      storage: () => store.check(CHECK_DEADLINE_MS),
      jobs: async () => requireAccepted(await requester.ask(CheckJobsReady, {}, options)),
      billing: async () => requireAccepted(await requester.ask(CheckBillingReady, {}, options)),
    };
  }

  /** What is not available, within the deadline of a check. Many probes at once make one check. */
  missing(): Promise<string[]> {
    if (!this.checked || performance.now() > this.checked.untilMs) {
      const check = { untilMs: Infinity, missing: this.check() };
      // Remembered from its end on: until then it is the one under way.
      void check.missing.then((missing) => {
        const atMs = performance.now();
        check.untilMs = atMs + (missing.length > 0 ? REMEMBER_MISSING_MS : REMEMBER_MS);
        this.known = { atMs, missing };
      });
      this.checked = check;
    }
    return this.checked.missing;
  }

  /**
   * What was not available when it was looked at last, without waiting: the next look is begun where that is a while ago.
   * Nothing where nobody has looked lately.
   */
  knownMissing(): readonly string[] {
    void this.missing();
    return this.known && performance.now() - this.known.atMs < KNOWN_FOR_MS ? this.known.missing : [];
  }

  private async check(): Promise<string[]> {
    const results = await Promise.all(
      Object.keys(this.checks).map(async (name) => {
        try {
          if ((await Promise.race([this.ask(name), afterDeadline()])) === LATE)
            throw new Error('no answer within the deadline');
          return null;
        } catch (error) {
          this.log.warn(`${name} is not available: ${String(error)}`);
          return name;
        }
      }),
    );
    return results.filter((name) => name !== null);
  }

  /** One that hangs is not asked a second time: each asking would hold one more of the database's connections. */
  private ask(name: string): Promise<unknown> {
    const underWay = this.asked.get(name);
    if (underWay) return underWay;
    const asking = this.checks[name]!().finally(() => this.asked.delete(name));
    this.asked.set(name, asking);
    // Whether it fails is of interest to whoever waits for it, if anybody still does.
    asking.catch(() => undefined);
    return asking;
  }
}

function requireAccepted(result: Result<unknown>): void {
  if (!result.ok) throw new Error(result.refusal.detail);
}

function afterDeadline(): Promise<typeof LATE> {
  return new Promise((resolve) => setTimeout(() => resolve(LATE), CHECK_DEADLINE_MS).unref());
}
