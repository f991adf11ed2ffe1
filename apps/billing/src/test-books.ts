import { randomUUID } from 'node:crypto';
import type { Refusal, Result } from '@currawong/contracts';
import { createDataSource, type DataSource, migrate } from '@currawong/database';
import { AccountsController } from './accounts/accounts.controller';
import { Summaries } from './accounts/summaries';
import { ChecksController } from './checks/checks.controller';
import { HoldsController } from './holds/holds.controller';
import { CurrentTerms } from './holds/terms';
import { BILLING_SCHEMA } from './storage/database';
import { Journal } from './storage/journal';
import { CreditController } from './topups/credit.controller';

/** All of billing on a database of a test's own, without the messages around it; one for each replica wanted. */
export class TestBooks {
  private constructor(
    readonly source: DataSource,
    readonly accounts: AccountsController,
    readonly credit: CreditController,
    readonly holds: HoldsController,
    readonly checks: ChecksController,
  ) {}

  static async open(
    url: string,
    { poolSize = 2, pricePerMinuteMicroAud = 20_000n } = {},
  ): Promise<TestBooks> {
    await migrate({ ...BILLING_SCHEMA, url });
    const source = await createDataSource({ ...BILLING_SCHEMA, url, poolSize }).initialize();
    const terms = new CurrentTerms(pricePerMinuteMicroAud, 500_000n);
    const journal = new Journal(source);
    const summaries = new Summaries(source, terms);
    return new TestBooks(
      source,
      new AccountsController(journal, summaries, terms),
      new CreditController(journal, summaries),
      new HoldsController(journal, terms),
      new ChecksController(source),
    );
  }

  /** A new account with so much of each. */
  async account({ microAud = 0, freeSeconds = 0 } = {}): Promise<string> {
    const account_id = randomUUID();
    accepted(await this.accounts.open({ account_id, free_seconds: freeSeconds }));
    if (microAud > 0) {
      const credit = { kind: 'top_up', reason: 'test', reference: randomUUID() } as const;
      accepted(await this.credit.add({ account_id, amount_micro_aud: microAud, ...credit }));
    }
    return account_id;
  }

  async summary(account_id: string) {
    return accepted(await this.accounts.summary({ account_id }));
  }

  async problems(): Promise<string[]> {
    return accepted(await this.checks.check()).problems;
  }

  close(): Promise<void> {
    return this.source.destroy();
  }
}

/** The value of an accepted result; fails the test with the refusal's words otherwise. */
export function accepted<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.detail}`);
  return result.value;
}

export function refusal(result: Result<unknown>): Refusal {
  if (result.ok) throw new Error(`accepted: ${JSON.stringify(result.value)}`);
  return result.refusal;
}
