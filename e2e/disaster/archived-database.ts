import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  choosePostgresHome,
  forgetData,
  giveTo,
  Keeper,
  loadSettings,
  postgresOwner,
  runCommand,
  startPostgres,
} from '@currawong/local-platform';
import { Client } from 'pg';

/** A Postgres server that archives its log, as the production cluster does, and dies when it is told to. */
export interface ArchivedDatabase {
  readonly url: string;
  /** A copy of the data folder, taken while the server works. */
  baseBackup(): Promise<void>;
  /** Closes the segment of the log that is being written and waits until it is in the archive. */
  archiveUpToHere(): Promise<void>;
  /** Ends it with no chance to write anything more. */
  lose(): Promise<void>;
  /** A second server, from the base backup and the archive alone; gives its address once it takes writes. */
  restore(): Promise<string>;
  remove(): Promise<void>;
}

const toolsFolder = join(__dirname, '..', '..', '.currawong');
const owner = postgresOwner();

export async function startArchivedDatabase(): Promise<ArchivedDatabase> {
  const first = await openSite();
  let second: Site | undefined;
  const archive = folderOfPostgres(first, 'archive');
  const backup = folderOfPostgres(first, 'backup');
  const server = await startPostgres(first, {
    archive_mode: 'on',
    archive_command: `cp "%p" "${archive}/%f.part" && mv "${archive}/%f.part" "${archive}/%f"`,
  });
  const url = server.address;
  return {
    url,
    baseBackup: () => copyWhileWorking(url, join(first.home, 'postgres'), backup),
    async archiveUpToHere() {
      const { segment } = await one<{ segment: string }>(
        url,
        'SELECT pg_walfile_name(pg_switch_wal()) AS segment',
      );
      for (let waited = 0; !existsSync(join(archive, segment)); waited += 50) {
        if (waited > 20_000) throw new Error(`Segment ${segment} of the log did not reach the archive.`);
        await sleep(50);
      }
    },
    lose: () => server.process.halt(0),
    async restore() {
      second = await openSite();
      // Who may sign in is part of what is restored.
      Object.assign(second.settings.secrets, first.settings.secrets);
      await copy(backup, join(second.home, 'postgres'));
      const restored = await startPostgres(second, {
        restore_command: `cp "${archive}/%f" "%p"`,
        // Then it takes no connection before it has read the archive to its end.
        hot_standby: 'off',
      });
      return restored.address;
    },
    async remove() {
      await second?.close();
      await first.close();
    },
  };
}

/** Where one server has its files: what it needs of a ServerContext, and the folder that Postgres can reach. */
type Site = Parameters<typeof startPostgres>[0] & { readonly home: string; close(): Promise<void> };

async function openSite(): Promise<Site> {
  mkdirSync(toolsFolder, { recursive: true });
  const dataFolder = mkdtempSync(join(toolsFolder, 'disaster-'));
  // Postgres has to pass through when it runs as another user.
  giveTo(undefined, dataFolder, 0o711);
  const logFolder = join(dataFolder, 'logs');
  mkdirSync(logFolder);
  const keeper = await Keeper.open(dataFolder);
  return {
    ...{ dataFolder, logFolder, toolsFolder, keeper },
    settings: loadSettings(dataFolder),
    home: choosePostgresHome(dataFolder, owner),
    async close() {
      await keeper.close();
      forgetData(dataFolder);
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

function folderOfPostgres({ home }: Site, name: string): string {
  const folder = join(home, name);
  mkdirSync(folder);
  giveTo(owner, folder, 0o700);
  return folder;
}

/**
 * What Barman does: says that a backup begins, copies the files as they change, and keeps the label that tells a restored
 * server from where in the log it has to read on. The programs for it are not part of every Postgres, these functions are.
 */
async function copyWhileWorking(url: string, from: string, to: string): Promise<void> {
  // A backup ends with the session that began it.
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ renamed: boolean }>(
      `SELECT current_setting('server_version_num')::int >= 150000 AS renamed`,
    );
    const renamed = rows[0]?.renamed;
    await client.query(
      renamed ? `SELECT pg_backup_start('drill', true)` : `SELECT pg_start_backup('drill', true, false)`,
    );
    await copy(from, to);
    const stopped = await client.query<{ labelfile: string }>(
      `SELECT labelfile FROM ${renamed ? 'pg_backup_stop()' : 'pg_stop_backup(false)'}`,
    );
    rmSync(join(to, 'postmaster.pid'), { force: true });
    // The log comes from the archive, and from nowhere else.
    for (const name of readdirSync(join(to, 'pg_wal'))) rmSync(join(to, 'pg_wal', name), { recursive: true });
    for (const [name, text] of [
      ['backup_label', stopped.rows[0]?.labelfile ?? ''],
      ['recovery.signal', ''],
    ] as const) {
      writeFileSync(join(to, name), text);
      giveTo(owner, join(to, name), 0o600);
    }
  } finally {
    await client.end();
  }
}

/** The content of a folder with its owners. Files that go while it is copied are no part of a backup. */
async function copy(from: string, to: string): Promise<void> {
  if (!existsSync(to)) mkdirSync(to);
  const copied = await runCommand('cp', ['-a', `${from}/.`, to]);
  const problems = copied.stderr
    .split('\n')
    .filter((line) => line && !/No such file or directory/.test(line));
  if (problems.length > 0) throw new Error(`${from} could not be copied: ${problems.join('; ')}`);
}

async function one<Row extends object>(url: string, sql: string): Promise<Row> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows[0] as Row;
  } finally {
    await client.end();
  }
}
