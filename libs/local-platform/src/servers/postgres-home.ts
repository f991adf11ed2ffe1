import { createHash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError } from '../setup-error';

/** Whom Postgres runs as; undefined means as ourselves. */
export interface PostgresOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Postgres refuses to run as root: then it is the user `postgres` of this machine, else `nobody`. */
export function postgresOwner(): PostgresOwner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = findUser('postgres') ?? findUser('nobody');
  if (owner) return owner;
  throw new SetupError(
    'Postgres does not run as root and this machine has neither a user postgres nor nobody: start as an ordinary user, or set DATABASE_URL.',
  );
}

/**
 * The folder below which Postgres keeps its data (and a fetched server its programs). It is in the data folder, unless
 * Postgres runs as another user whom a folder above shuts out (a repository in root's home): then it is one of
 * /var/lib or /tmp, named after the data folder.
 */
export function choosePostgresHome(dataFolder: string, owner: PostgresOwner | undefined): string {
  if (!owner || isReachable(dataFolder, owner)) return dataFolder;
  const name = `currawong-${createHash('sha256').update(dataFolder).digest('hex').slice(0, 12)}`;
  for (const base of ['/var/lib', '/tmp']) {
    const home = join(base, name);
    try {
      mkdirSync(home, { recursive: true, mode: 0o711 });
      const made = statSync(home);
      // /tmp is everybody's: a folder that another user put there first is not used.
      if (made.uid !== 0 || !isReachable(home, owner)) continue;
      return home;
    } catch {
      continue;
    }
  }
  throw new SetupError(
    `Postgres cannot reach ${dataFolder}: move the repository out of a private folder, or set DATABASE_URL.`,
  );
}

/** Hands a path to the user that Postgres runs as, and to nobody else. */
export function giveTo(owner: PostgresOwner | undefined, path: string, mode: number): void {
  if (owner) chownSync(path, owner.uid, owner.gid);
  chmodSync(path, mode);
}

/** Whether that user may pass through every folder on the way. */
export function isReachable(path: string, owner: PostgresOwner): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    const stat = statSync(folder);
    const bit = stat.uid === owner.uid ? 0o100 : stat.gid === owner.gid ? 0o010 : 0o001;
    if ((stat.mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function findUser(name: string): PostgresOwner | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = (line ?? '').split(':');
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}
