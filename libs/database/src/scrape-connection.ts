import { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';

/** Well above what questions of scrapes take, well below the minutes in which a dead connection would be noticed. */
const STATEMENT_SECONDS = 4;

const apart = new WeakMap<DataSource, ScrapeConnection>();

/**
 * Asks the database of `source` over one connection that belongs to scrapes alone: what is measured must neither wait for
 * the pool nor be counted in it. It is opened with the first question, and anew after a question that failed.
 * @throws what the driver throws
 */
export function askApart<Answer>(
  source: DataSource,
  question: (on: DataSource) => Promise<Answer>,
): Promise<Answer> {
  let connection = apart.get(source);
  if (!connection) apart.set(source, (connection = new ScrapeConnection(source)));
  return connection.ask(question);
}

/** Closes the connection of scrapes; a later question opens it again. */
export async function closeApart(source: DataSource): Promise<void> {
  await apart.get(source)?.close();
}

class ScrapeConnection {
  private opening: Promise<DataSource> | undefined;

  constructor(private readonly source: DataSource) {}

  async ask<Answer>(question: (on: DataSource) => Promise<Answer>): Promise<Answer> {
    const mine = (this.opening ??= open(this.source));
    try {
      return await question(await mine);
    } catch (error) {
      // Nobody knows what state the connection is in, and a silent one would keep every later question waiting.
      if (this.opening === mine) this.opening = undefined;
      void mine.then(close, () => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    const mine = this.opening;
    this.opening = undefined;
    await mine?.then(close, () => undefined);
  }
}

function open(source: DataSource): Promise<DataSource> {
  const options = source.options as PostgresDataSourceOptions;
  const extra = options.extra as { options?: string } | undefined;
  return new DataSource({
    ...options,
    migrations: [],
    poolSize: 1,
    applicationName: `currawong-${options.schema}-metrics`,
    extra: {
      ...extra,
      options: `${extra?.options ?? ''} -c statement_timeout=${STATEMENT_SECONDS}s`,
      query_timeout: (STATEMENT_SECONDS + 1) * 1_000,
      // Kept between scrapes, without keeping a process alive that has nothing else to do.
      idleTimeoutMillis: 120_000,
      allowExitOnIdle: true,
    },
  }).initialize();
}

async function close(opened: DataSource): Promise<void> {
  await opened.destroy().catch(() => undefined);
}
