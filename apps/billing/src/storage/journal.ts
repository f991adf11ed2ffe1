import { BalanceLow, type Result } from '@currawong/contracts';
import { Outbox, type Send } from '@currawong/database';
import { crashPoint } from '@currawong/telemetry';
import { Injectable } from '@nestjs/common';
import { decisionsRefused, lowBalancesTold, transactionsBooked } from './metrics';
import type { LowBalance, Needs, Page } from './page';
import { openPage, writePage } from './page-rows';

/** Takes one decision on the open page: reads it, books or refuses. It runs under lock and must not wait. */
export type Decision<T> = (page: Page) => Result<T>;

interface Entry {
  needs: Needs;
  decide: Decision<unknown>;
  resolve: (result: Result<unknown>) => void;
  reject: (error: unknown) => void;
}

/** Pages larger than this hold their locks longer than they save commits. */
const ENTRIES_PER_PAGE = 200;

/**
 * The only way into the journal. Decisions that arrive while a page is being committed share the next one: one lock,
 * one statement and one wait for the disk serve them all, so that an account which many jobs use at once is not
 * slower than many accounts. A page uses one connection and there is one page at a time, whatever the pool's size.
 */
@Injectable()
export class Journal {
  private readonly waiting: Entry[] = [];
  private writing: Promise<void> | undefined;

  constructor(private readonly outbox: Outbox) {}

  /** Resolves once the decision is on disk; throws when nothing, or nothing known, was written. */
  book<T>(needs: Needs, decide: Decision<T>): Promise<Result<T>> {
    return new Promise<Result<T>>((resolve, reject) => {
      this.waiting.push({ needs, decide, resolve: resolve as Entry['resolve'], reject });
      this.writing ??= this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    // What came in with the same read of the socket goes onto the same page.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) await this.writeTogether(this.waiting.splice(0, ENTRIES_PER_PAGE));
    this.writing = undefined;
  }

  private async writeTogether(entries: Entry[]): Promise<void> {
    try {
      await this.write(entries);
    } catch (error) {
      if (!wasPageRefused(error)) {
        for (const entry of entries) entry.reject(error);
        return;
      }
      // One of them spoiled the page, or another replica was first. Taken alone and again, a defect fails by itself
      // and a lost race sees what the winner has committed.
      for (const entry of entries) await this.write([entry]).catch((again: unknown) => entry.reject(again));
    }
  }

  /** One page from lock to commit; answers are handed out only after it. */
  private async write(entries: Entry[]): Promise<void> {
    const { page, answers } = await this.outbox.transaction(async (manager, send) => {
      const page = await openPage(manager, allNeeds(entries));
      const answers = entries.map((entry) => take(entry, page));
      if (!page.isBlank) await writePage(manager, page);
      for (const low of page.lowBalances) await tell(low, send);
      return { page, answers };
    });
    if (!page.isBlank) crashPoint('journal.committed');
    for (const { kind } of page.transactions) transactionsBooked.inc({ kind });
    lowBalancesTold.inc(page.lowBalances.length);
    for (const answer of answers) answer();
  }
}

/** A decision that breaks down fails alone: `Page.book` leaves nothing of it behind. */
function take({ decide, resolve, reject }: Entry, page: Page): () => void {
  try {
    const result = decide(page);
    return () => {
      if (!result.ok) decisionsRefused.inc({ code: result.refusal.code });
      resolve(result);
    };
  } catch (error) {
    return () => reject(error);
  }
}

function tell(low: LowBalance, send: Send): Promise<void> {
  const message = {
    account_id: low.accountId,
    available_micro_aud: Number(low.availableMicroAud),
    threshold_micro_aud: Number(low.thresholdMicroAud),
  };
  return send(BalanceLow, message, { messageId: `balance_low:${low.bookedAs}` });
}

function allNeeds(entries: Entry[]): Required<Needs> {
  return {
    accountIds: [...new Set(entries.flatMap(({ needs }) => needs.accountIds ?? []))],
    jobIds: [...new Set(entries.flatMap(({ needs }) => needs.jobIds ?? []))],
    credits: entries.flatMap(({ needs }) => needs.credits ?? []),
    topUpIds: [...new Set(entries.flatMap(({ needs }) => needs.topUpIds ?? []))],
  };
}

/** By SQLSTATE: a bad value, a constraint or a lost race, and not the connection or the server. */
function wasPageRefused(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^(22|23|40)/.test(code);
}
