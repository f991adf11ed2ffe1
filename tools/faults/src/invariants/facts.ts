import { objectStoreClient } from '@currawong/local-platform';
import { Client } from 'pg';
import type { Arena } from '../arena/arena';
import type { ClientRecord } from '../load/record';

/** What the invariants are judged by: what lies in the databases and in the bucket, and what clients were told. */
export interface Facts {
  readonly jobs: readonly JobRow[];
  readonly workItems: readonly WorkRow[];
  readonly holds: readonly HoldRow[];
  /** How often each job's hold was captured, released and so on, by the journal. */
  readonly bookings: readonly { job_id: string; kind: string; times: number }[];
  /** Sum of all books in each unit. */
  readonly sums: readonly { unit: string; amount: string }[];
  /** What `admin ledger check` finds. */
  readonly ledgerProblems: readonly string[];
  readonly waitingMessages: readonly { schema: string; message_id: string }[];
  readonly objects: readonly StoredObject[];
  readonly deletions: readonly { job_id: string; cancelled_at: Date | null; erased_at: Date | null }[];
  readonly uploads: readonly { key: string; begunAt: Date }[];
  /** By the database's clock. */
  readonly now: Date;
  readonly clients: ClientRecord;
  /** What was seen of the messages as they were sent. */
  readonly messageProblems: readonly string[];
  /** GET /jobs of every account, all pages. */
  readonly listed: readonly ListedJob[];
  /** Everything that the customers' receiver of webhooks was sent. */
  readonly told: readonly Told[];
  readonly credit: readonly { account: string; usedAud: string }[];
}

export interface JobRow {
  id: string;
  account_id: string;
  mode: 'live' | 'test';
  state: string;
  outcome: string | null;
  original_filename: string;
  source_key: string;
  result_key: string | null;
  voices_key: string | null;
  cost_micro_aud: string | null;
  duration_seconds: number | null;
  changed_at: Date;
  completed_at: Date | null;
  cleared_at: Date | null;
  audio_erased_at: Date | null;
  deleted_at: Date | null;
}

export interface WorkRow {
  id: string;
  job_id: string;
  stage: string;
  state: string;
  attempt: number;
  worker: string | null;
  last_error: string | null;
}

export interface HoldRow {
  job_id: string;
  account_id: string;
  state: 'pending' | 'captured' | 'released';
  charged_micro_aud: string | null;
  paid_seconds: string;
  free_seconds: string;
  captured_free_seconds: string | null;
  captured_paid_seconds: string | null;
}

export interface StoredObject {
  key: string;
  writtenAt: Date;
  sizeBytes: number;
  /** It was deleted while the rows were read, which then say so already. */
  wentMeanwhile?: boolean;
}

/** A request that a customer's receiver of webhooks got. */
export interface Told {
  readonly webhookId: string;
  readonly type: string;
  readonly jobId: string;
}

export interface ListedJob {
  account: string;
  id: string;
  filename: string;
  status: string;
}

/** Asked of the server itself, not through the ways that the faults are on. */
export async function query<T>(arena: Arena, sql: string, parameters: unknown[] = []): Promise<T[]> {
  const client = new Client({
    connectionString: arena.servers.databaseUrl,
    connectionTimeoutMillis: 5_000,
    query_timeout: 20_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql, parameters)).rows as T[];
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function collectFacts(
  arena: Arena,
  clients: ClientRecord,
  seen: Pick<Facts, 'messageProblems' | 'listed' | 'credit' | 'told'>,
): Promise<Facts> {
  // The bucket first: what is written after it was listed has its row by then, and what is missing was missing before.
  const { objects, uploads } = await listBucket(arena);
  const [jobs, workItems, deletions, holds, bookings, sums, waitingMessages, clock, ledger] =
    await Promise.all([
      query<JobRow>(arena, 'SELECT * FROM jobs.jobs'),
      query<WorkRow>(
        arena,
        'SELECT id, job_id, stage, state, attempt, worker, last_error FROM jobs.work_items',
      ),
      query<Facts['deletions'][number]>(arena, 'SELECT job_id, cancelled_at, erased_at FROM jobs.deletions'),
      query<HoldRow>(arena, 'SELECT * FROM billing.holds'),
      query<{ job_id: string; kind: string; times: number }>(
        arena,
        'SELECT job_id, kind, count(*)::int AS times FROM billing.transactions WHERE job_id IS NOT NULL GROUP BY 1, 2',
      ),
      query<{ unit: string; amount: string }>(
        arena,
        'SELECT unit, sum(amount)::text AS amount FROM billing.entries GROUP BY unit',
      ),
      query<{ schema: string; message_id: string }>(
        arena,
        `SELECT 'jobs' AS schema, message_id FROM jobs.outbox UNION ALL SELECT 'billing', message_id FROM billing.outbox`,
      ),
      query<{ now: Date }>(arena, 'SELECT now()'),
      arena.admin<{ problems: string[] }>('ledger', 'check'),
    ]);
  const after = await listBucket(arena);
  const stillThere = new Set(after.objects.map(({ key }) => key));
  const stillOpen = new Set(after.uploads.map(({ key }) => key));
  return {
    ...{ jobs, workItems, deletions, holds, bookings, sums, waitingMessages, clients },
    objects: objects.map((object) => ({ ...object, wentMeanwhile: !stillThere.has(object.key) })),
    uploads: uploads.filter(({ key }) => stillOpen.has(key)),
    ...seen,
    ledgerProblems: ledger.value.problems,
    now: clock[0]!.now,
  };
}

async function listBucket(arena: Arena): Promise<Pick<Facts, 'objects' | 'uploads'>> {
  const { s3 } = arena.servers;
  const client = objectStoreClient(s3);
  const objects: StoredObject[] = [];
  for await (const found of client.listObjectsV2(s3.bucket, '', true)) {
    const { name, lastModified, size } = found as { name: string; lastModified: Date; size: number };
    objects.push({ key: name, writtenAt: lastModified, sizeBytes: size });
  }
  const uploads: { key: string; begunAt: Date }[] = [];
  for await (const found of client.listIncompleteUploads(s3.bucket, '', true)) {
    const { key, initiated } = found as { key: string; initiated?: Date };
    uploads.push({ key, begunAt: initiated ?? new Date(0) });
  }
  return { objects, uploads };
}
