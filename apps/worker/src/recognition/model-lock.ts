import { rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export interface AloneOptions {
  readonly signal?: AbortSignal | undefined;
  readonly log?: ((line: string) => void) | undefined;
  /** A lock that was not touched for this long belongs to nobody any more; default 30. */
  readonly staleSeconds?: number;
}

/**
 * Does something while no other process does, on this machine or another one that has the same folder. The holder
 * touches its file all the time, so that one that was killed does not keep others out.
 */
export async function alone<T>(
  path: string,
  { signal, log, staleSeconds = 30 }: AloneOptions,
  work: () => Promise<T>,
): Promise<T> {
  for (let told = false; !(await taken(path));) {
    if (!told) log?.(`Waiting for another process that holds ${path}`);
    told = true;
    const { mtimeMs } = (await stat(path).catch(() => undefined)) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > staleSeconds * 1000) await rm(path, { force: true });
    else await sleep(500, undefined, { signal });
  }
  const touch = setInterval(
    () => {
      const now = new Date();
      utimes(path, now, now).catch(() => undefined);
    },
    (staleSeconds * 1000) / 6,
  );
  try {
    return await work();
  } finally {
    clearInterval(touch);
    await rm(path, { force: true });
  }
}

async function taken(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${hostname()} ${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
