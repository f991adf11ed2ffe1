import { randomUUID } from 'node:crypto';
import { GetStatement, type Refusal, type Result } from '@currawong/contracts';
import { createDataSource, type DataSource, migrate, Outbox, row } from '@currawong/database';
import type { Publisher } from '@currawong/messaging';
import { AccountsController } from './accounts/accounts.controller';
import { Summaries } from './accounts/summaries';
import { ChecksController } from './checks/checks.controller';
import { HoldsController } from './holds/holds.controller';
import { CurrentTerms } from './holds/terms';
import { HoldViewsController } from './holds/views.controller';
import { Breakdowns } from './statements/breakdown';
import { Statements } from './statements/statements';
import { StatementsController } from './statements/statements.controller';
import { Supplier } from './statements/supplier';
import { BILLING_SCHEMA } from './storage/database';
import { Journal } from './storage/journal';
import { TopUps } from './storage/top-ups';
import { CreditController } from './topups/credit.controller';
import { Payments } from './topups/payments';
import type { StripePayments } from './topups/stripe';
import { TopUpTerms } from './topups/terms';
import { TopUpsController } from './topups/top-ups.controller';
import { UnsettledTopUps } from './topups/unsettled';

interface Wishes {
  poolSize?: number;
  pricePerMinuteMicroAud?: bigint;
  supplier?: Supplier;
  stripe?: StripePayments;
}

const REGISTERED = new Supplier('Currawong Pty Ltd', '51824753556', '1 Test St, Sydney NSW 2000');

/** As if the broker were away: what is to be sent stays in the outbox, where a test can read it. */
const NO_BROKER = {
  publishRaw: () => Promise.reject(new Error('no broker here')),
} as unknown as Publisher;

/** All of billing on a database of a test's own, without the messages around it; one for each replica wanted. */
export class TestBooks {
  private constructor(
    readonly source: DataSource,
    readonly outbox: Outbox,
    readonly accounts: AccountsController,
    readonly credit: CreditController,
    readonly holds: HoldsController,
    readonly checks: ChecksController,
    readonly views: HoldViewsController,
    readonly statements: StatementsController,
    readonly topUps: TopUpsController,
    readonly unsettled: UnsettledTopUps,
  ) {}

  static async open(
    url: string,
    { poolSize = 2, pricePerMinuteMicroAud = 20_000n, supplier = REGISTERED, stripe }: Wishes = {},
  ): Promise<TestBooks> {
    await migrate({ ...BILLING_SCHEMA, url });
    const source = await createDataSource({ ...BILLING_SCHEMA, url, poolSize }).initialize();
    const prices = { transcription: pricePerMinuteMicroAud, analysis: 30_000n };
    const terms = new CurrentTerms(prices, 500_000n);
    const topUpTerms = new TopUpTerms(stripe, 5_000_000n, 1_000_000_000n);
    const outbox = new Outbox(source, NO_BROKER, { warn: () => undefined });
    const journal = new Journal(outbox);
    const topUps = new TopUps(source);
    const payments = new Payments(journal);
    const summaries = new Summaries(source, terms);
    return new TestBooks(
      source,
      outbox,
      new AccountsController(journal, summaries, terms, source),
      new CreditController(journal, summaries),
      new HoldsController(journal, terms),
      new ChecksController(source),
      new HoldViewsController(source),
      new StatementsController(new Statements(source, supplier), new Breakdowns(source)),
      new TopUpsController(source, topUps, payments, topUpTerms),
      new UnsettledTopUps(topUps, payments, topUpTerms),
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

  /** Makes everything that was booked in the last hour happen at another moment: a test cannot wait for months. */
  async moveTo(moment: string): Promise<void> {
    await this.source.transaction(async (manager) => {
      const lately = `> now() - interval '1 hour'`;
      await manager.query('ALTER TABLE transactions DISABLE TRIGGER append_only');
      await manager.query(
        `UPDATE transactions SET booked_at = $1, month = sydney_month($1) WHERE booked_at ${lately}`,
        [moment],
      );
      await manager.query('ALTER TABLE transactions ENABLE TRIGGER append_only');
      await manager.query(`UPDATE holds SET captured_at = $1 WHERE captured_at ${lately}`, [moment]);
      await manager.query('DELETE FROM monthly_totals');
      await manager.query(
        `INSERT INTO monthly_totals (account_id, month, captured_seconds, jobs, used_micro_aud, used_free_seconds,
                                     topped_up_micro_aud, gst_cents, adjusted_micro_aud, granted_free_seconds)
         SELECT account_id, month, captured_seconds, jobs, used_micro_aud, used_free_seconds, topped_up_micro_aud,
                gst_cents, adjusted_micro_aud, granted_free_seconds FROM monthly_journal`,
      );
    });
  }

  /** The current month in Sydney. */
  async thisMonth(): Promise<string> {
    const sql = `SELECT to_char(sydney_month(now()), 'YYYY-MM') AS month`;
    return (await row<{ month: string }>(this.source, sql))!.month;
  }

  /** A month's statement with the lines of all its pages. */
  async statement(account_id: string, month: string, limit = 500) {
    const page = async (after: string | null) =>
      GetStatement.reply.parse(
        accepted(await this.statements.statement({ account_id, month, after, limit })),
      );
    const first = await page(null);
    const lines = [...first.lines];
    for (let after = first.next_after; after !== null;) {
      const next = await page(after);
      expect(next.lines.length).toBeGreaterThan(0);
      lines.push(...next.lines);
      after = next.next_after;
    }
    return { ...first, lines };
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
