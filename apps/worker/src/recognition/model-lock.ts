import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface AloneOptions {
  readonly signal?: AbortSignal | undefined;
  readonly log?: ((line: string) => void) | undefined;
  /** A lock that was not touched for this long belongs to nobody any more; default 30. */
  readonly staleSeconds?: number;
}

/** What renaming a folder to the name of one that is not empty, or of a file, fails with. */
const HELD = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

/**
 * Does something while no other process does, on this machine or another one that has the same folder. The holder
 * touches its file all the time, so that one that was killed does not keep others out.
 *
 * The lock is a folder with one file in it, whose name is its holder's alone. So who removes a stale one removes that
 * one or nothing, and never the one of somebody who was quicker to take its place.
 */
export async function alone<T>(
  path: string,
  { signal, log, staleSeconds = 30 }: AloneOptions,
  work: () => Promise<T>,
): Promise<T> {
  const holder = `${hostname()}-${process.pid}-${randomUUID()}`;
  for (let told = false; !(await taken(path, holder));) {
    signal?.throwIfAborted();
    if (!told) log?.(`Waiting for another process that holds ${path}`);
    told = true;
    if (!(await removedStale(path, staleSeconds))) await sleep(500, undefined, { signal });
  }
  const own = join(path, holder);
  const touch = setInterval(
    () => {
      const now = new Date();
      utimes(own, now, now).catch(() => undefined);
    },
    (staleSeconds * 1000) / 6,
  );
  try {
    return await work();
  } finally {
    clearInterval(touch);
    await rm(own, { force: true });
    await removedIfEmpty(path);
  }
}

/** A folder can be renamed to the name of an empty one, so that one that was left behind is in nobody's way. */
async function taken(path: string, holder: string): Promise<boolean> {
  const folder = `${path}.${holder}`;
  try {
    await mkdir(folder);
    await writeFile(join(folder, holder), '');
    await rename(folder, path);
    return true;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (HELD.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** @returns whether the lock may be free now */
async function removedStale(path: string, staleSeconds: number): Promise<boolean> {
  // A lock of earlier versions is a file; unlink does nothing to a folder that has come in its place.
  const files = await readdir(path).then(
    (names) => names.map((name) => join(path, name)),
    () => [path],
  );
  for (const file of files) {
    const found = await stat(file).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > staleSeconds * 1000) await unlink(file).catch(() => undefined);
  }
  return removedIfEmpty(path);
}

async function removedIfEmpty(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
