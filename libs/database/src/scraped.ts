import { settlesWithin } from '@currawong/messaging';

const FRESH_MS = 5_000;
const PATIENCE_MS = 2_000;

/**
 * An answer of the database that scrapes show: asked for at most every 5 s however often and for however many metrics it is
 * wanted, one question at a time. A scrape must answer also while the database is away, so a question is waited for
 * 2 s at the most, and metrics without an answer show nothing instead of something old.
 */
export class Scraped<Answer> {
  private known: Answer | undefined;
  private askAgainAtMs = 0;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly ask: () => Promise<Answer>,
    private readonly limits = { freshMs: FRESH_MS, patienceMs: PATIENCE_MS },
  ) {}

  /** @returns undefined where the database does not answer now */
  async answer(): Promise<Answer | undefined> {
    if (performance.now() >= this.askAgainAtMs) {
      this.asking ??= this.refresh().finally(() => (this.asking = undefined));
      if (!(await settlesWithin(this.asking, this.limits.patienceMs))) return undefined;
    }
    return this.known;
  }

  private async refresh(): Promise<void> {
    try {
      this.known = await this.ask();
    } catch {
      // That it is away is what currawong_database_up says; whoever needs it for more than a metric logs why.
      this.known = undefined;
    }
    this.askAgainAtMs = performance.now() + this.limits.freshMs;
  }
}
