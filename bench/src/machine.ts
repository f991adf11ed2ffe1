import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '@currawong/local-platform';
import type { TestServers } from '@currawong/testing';
import { Client } from 'pg';

export interface Machine {
  readonly description: string;
  /** Name and version of everything that the figures depend on. */
  readonly versions: readonly (readonly [string, string])[];
}

export async function describeMachine(servers: TestServers, repositoryFolder: string): Promise<Machine> {
  const [model] = cpus();
  return {
    description:
      `${availableParallelism()} cores (${model?.model.trim() ?? 'unknown model'}), ` +
      `${(totalmem() / 1024 ** 3).toFixed(1)} GiB, ${process.platform} ${release()} ${process.arch}`,
    versions: [
      ['Currawong', packageVersion(join(repositoryFolder, 'package.json'))],
      ['Node', process.versions.node],
      ['Postgres', await postgresVersion(servers.databaseUrl)],
      ['NATS', await natsVersion(servers.tools.natsServer)],
      ['S3 store', await storeVersion(servers.s3.endpoint)],
      ...['@nestjs/core', 'express', 'autocannon'].map((name) => [name, installedVersion(name)] as const),
    ],
  };
}

/** Processes that wanted to run, on average of the last minute; another's work beside ours shows here. */
export function loadNow(): string {
  return loadavg()[0]!.toFixed(2);
}

async function postgresVersion(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string; fsync: string; synchronous_commit: string }>(
      `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
              current_setting('synchronous_commit') AS synchronous_commit`,
    );
    const { version, fsync, synchronous_commit } = rows[0]!;
    return `${version.split(' ')[0]} (fsync ${fsync}, synchronous_commit ${synchronous_commit})`;
  } finally {
    await client.end();
  }
}

async function natsVersion(program: string): Promise<string> {
  if (!program) return 'given by its address';
  const { stdout } = await runCommand(program, ['--version']);
  return `${/v([\d.]+)/.exec(stdout)?.[1] ?? stdout.trim()} (sync_interval always)`;
}

async function storeVersion(endpoint: string): Promise<string> {
  const response = await fetch(endpoint);
  await response.body?.cancel();
  return response.headers.get('server') ?? 'does not say';
}

function installedVersion(name: string): string {
  const fromHere = createRequire(__filename);
  const folders = fromHere.resolve.paths(name) ?? [];
  for (const folder of folders) {
    try {
      return packageVersion(join(folder, name, 'package.json'));
    } catch {
      // Not in this folder: the next one up.
    }
  }
  return 'not found';
}

function packageVersion(path: string): string {
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
