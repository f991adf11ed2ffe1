import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { objectStoreClient, type TestPlatform } from '@currawong/testing';
import { Client } from 'pg';
import type { Bound, Point, Series } from './verdict';

const MEBIBYTE = 1024 ** 2;
const SCRAPE_TIMEOUT_MS = 5_000;
/** Listing a bucket takes as long as there are objects in it. */
const OBJECTS_EVERY_SAMPLES = 6;

const MEMORY: Bound = { share: 0.15, atLeast: 25 };
const HANDLES: Bound = { share: 0.1, atLeast: 10 };
const CONNECTIONS: Bound = { share: 0.1, atLeast: 3 };
const STREAMS: Bound = { share: 0.5, atLeast: 16 };
/** Autovacuum comes round when a fifth of a table is dead, and a minute later at that. */
const DEAD_ROWS: Bound = { share: 1, atLeast: 5_000 };
/** Tables that hold what is under way, and so must not grow with what is done. */
const TABLES_OF_THE_MOMENT = ['outbox', 'dispatch_turns', 'workers', 'rate_limits'];
const ROWS: Bound = { share: 0.5, atLeast: 500 };

/** Looks at everything that could grow, at intervals, from outside of the services. */
export class Sampler {
  private readonly series = new Map<string, Omit<Series, 'points'> & { points: Point[] }>();
  private samples = 0;

  private constructor(
    private readonly platform: TestPlatform,
    private readonly database: Client,
  ) {}

  static async open(platform: TestPlatform): Promise<Sampler> {
    const database = new Client({ connectionString: platform.databaseUrl });
    database.on('error', () => undefined);
    await database.connect();
    return new Sampler(platform, database);
  }

  close(): Promise<void> {
    return this.database.end();
  }

  all(): Series[] {
    return [...this.series.values()];
  }

  note(seconds: number, name: string, value: number, unit: Series['unit'], bound: Bound): void {
    const known = this.series.get(name) ?? { name, unit, bound, points: [] };
    this.series.set(name, known);
    known.points.push({ seconds, value });
  }

  async take(seconds: number): Promise<void> {
    for (const [service, pid] of Object.entries(this.platform.pids())) {
      if (pid === undefined) continue;
      this.note(seconds, `${service}: memory`, residentMebibytes(pid), 'MiB', MEMORY);
      this.note(seconds, `${service}: open handles`, openHandles(pid), '', HANDLES);
      this.note(seconds, `${service}: heap`, await this.heapMebibytes(service), 'MiB', MEMORY);
    }
    await this.takeDatabase(seconds);
    this.note(
      seconds,
      'streams on disk',
      folderBytes(this.platform.nats.storeFolder) / MEBIBYTE,
      'MiB',
      STREAMS,
    );
    if (this.samples++ % OBJECTS_EVERY_SAMPLES === 0)
      this.note(seconds, 'objects in the bucket', await this.objects(), '', null);
  }

  private async takeDatabase(seconds: number): Promise<void> {
    const { rows: connections } = await this.database.query<{ connections: number }>(
      'SELECT count(*)::int AS connections FROM pg_stat_activity WHERE datname = current_database()',
    );
    this.note(seconds, 'database connections', connections[0]!.connections, '', CONNECTIONS);
    const { rows } = await this.database.query<{ name: string; live: number; dead: number; bytes: number }>(
      `SELECT relname AS name, sum(n_live_tup)::float8 AS live, sum(n_dead_tup)::float8 AS dead,
              sum(pg_total_relation_size(relid))::float8 AS bytes
         FROM pg_stat_user_tables GROUP BY relname ORDER BY relname`,
    );
    for (const { name, live, dead, bytes } of rows) {
      this.note(seconds, `table ${name}: dead rows`, dead, '', DEAD_ROWS);
      if (TABLES_OF_THE_MOMENT.includes(name)) this.note(seconds, `table ${name}: rows`, live, '', ROWS);
      else this.note(seconds, `table ${name}: size`, bytes / MEBIBYTE, 'MiB', null);
    }
  }

  private async heapMebibytes(service: string): Promise<number> {
    const url = this.platform.metricsUrls[service];
    if (url === undefined) return NaN;
    try {
      const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) });
      const bytes = /^nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)/m.exec(await answer.text())?.[1];
      return Number(bytes) / MEBIBYTE;
    } catch {
      // A service that is too busy to say: the next sample may find it less so.
      return NaN;
    }
  }

  private async objects(): Promise<number> {
    let count = 0;
    const { s3 } = this.platform;
    for await (const _object of objectStoreClient(s3).listObjectsV2(s3.bucket, '', true)) count++;
    return count;
  }
}

/** NaN where the process has just ended, or the system does not tell. */
function residentMebibytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  } catch {
    return NaN;
  }
}

function openHandles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return NaN;
  }
}

/** What goes while it is looked at counts nothing. */
function folderBytes(folder: string): number {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + sizeOf(join(entry.parentPath, entry.name)), 0);
  } catch {
    return NaN;
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
