import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Keeper } from '../processes/keeper';
import type { Supervised } from '../processes/supervised';
import type { Settings } from '../settings';
import { SetupError } from '../setup-error';
import { tail } from '../tooling/commands';

/** What every embedded server is given to start with. */
export interface ServerContext {
  /** Data of the servers, their logs and settings. */
  readonly dataFolder: string;
  readonly logFolder: string;
  /** Programs that were fetched; shared by several data folders. */
  readonly toolsFolder: string;
  readonly keeper: Keeper;
  readonly settings: Settings;
}

/** An embedded server that answers, and how to reach it. */
export interface Embedded<Address> {
  readonly address: Address;
  readonly process: Supervised;
  /** Waits until it answers, after a restart for example. */
  waitUntilReady(): Promise<void>;
}

/**
 * Polls until the process answers. One that ends more often than is tolerated, or does not answer in time, is halted
 * and reported with the last lines of its log.
 */
export async function waitUntilAnswers(
  process: Supervised,
  answers: () => Promise<boolean>,
  { timeoutSeconds = 60, toleratedEndings = 0 } = {},
): Promise<void> {
  const deadline = Date.now() + timeoutSeconds * 1000;
  const endingsBefore = process.endings.length;
  for (;;) {
    if (await withinSeconds(5, answers())) return;
    const endings = process.endings.slice(endingsBefore);
    const late = Date.now() > deadline;
    if (endings.length > toleratedEndings || late) {
      await process.halt(2);
      const what = late
        ? `did not answer within ${timeoutSeconds} s`
        : `ended while starting (${endings.at(-1)})`;
      throw new SetupError(
        `${process.name} ${what}; the end of ${process.logPath}:\n${lastLines(process.logPath)}`,
      );
    }
    await sleep(40);
  }
}

/** A server that takes the question but never answers it, because it was asked too early, is asked again. */
async function withinSeconds(seconds: number, answer: Promise<boolean>): Promise<boolean> {
  const late = new AbortController();
  const timeout = sleep(seconds * 1000, false, { signal: late.signal }).catch(() => false);
  try {
    return await Promise.race([answer.catch(() => false), timeout]);
  } finally {
    late.abort();
  }
}

function lastLines(path: string): string {
  try {
    return tail(readFileSync(path, 'utf8'), 4);
  } catch {
    return '(no log)';
  }
}
