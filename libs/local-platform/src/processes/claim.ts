import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isRunning, type ProcessIdentity } from './identity';

/** Either this process now holds what the file stands for, or another one does. */
export type Claim = { readonly release: () => void } | { readonly holder: ProcessIdentity };

/** For what only one process may do at a time. A claim whose process is gone counts for nothing. */
export async function claim(lockPath: string): Promise<Claim> {
  const self = identify(process.pid);
  if (!self) throw new Error('This process cannot be identified.');
  const content = JSON.stringify(self);
  for (let attempt = 0; ; attempt += 1) {
    try {
      writeFileSync(lockPath, content, { flag: 'wx', mode: 0o600 });
      return {
        release: () => {
          if (read(lockPath) === content) rmSync(lockPath, { force: true });
        },
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = parseHolder(read(lockPath));
    if (holder && isRunning(holder)) return { holder };
    // Unreadable may mean that the other one is just about to write it.
    if (holder || attempt > 20) rmSync(lockPath, { force: true });
    else await sleep(50);
  }
}

/** Does the work while holding the claim; waits for as long as another process holds it. */
export async function whileClaimed<T>(lockPath: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const claimed = await claim(lockPath);
    if ('release' in claimed) {
      try {
        return await work();
      } finally {
        claimed.release();
      }
    }
    await sleep(200);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function parseHolder(text: string | undefined): ProcessIdentity | undefined {
  try {
    const { pid, began } = JSON.parse(text ?? '') as Partial<ProcessIdentity>;
    return typeof pid === 'number' && typeof began === 'string' ? { pid, began } : undefined;
  } catch {
    return undefined;
  }
}
