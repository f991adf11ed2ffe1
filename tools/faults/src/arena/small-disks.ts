import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Folders that are file systems of their own, small enough to be filled. */
export class SmallDisks {
  private readonly mounted: string[] = [];

  /** @returns undefined where it was mounted, else why it could not be */
  mount(folder: string, sizeBytes: number): string | undefined {
    mkdirSync(folder, { recursive: true });
    if (process.platform !== 'linux' || process.getuid?.() !== 0)
      return 'only root on Linux can mount a small disk';
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes},mode=0711`, 'tmpfs', folder], {
        stdio: 'pipe',
      });
      this.mounted.push(folder);
      return undefined;
    } catch (error) {
      return `this machine does not let a small disk be mounted (${(error as Error).message.split('\n')[0]})`;
    }
  }

  unmountAll(): void {
    for (const folder of this.mounted.splice(0)) {
      try {
        execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
      } catch {
        // It goes with the mount namespace, or by hand; the data is of no value.
      }
    }
  }
}

/** Takes every byte that is left; gives the way to free them. */
export function fill(folder: string): () => void {
  const path = join(folder, 'filler');
  const file = openSync(path, 'w');
  try {
    const { bsize, bavail } = statfsSync(folder);
    const piece = Buffer.alloc(Math.min(1024 * 1024, Math.max(bsize, 4096)));
    for (let left = bsize * (bavail + 1024); left > 0; left -= piece.length) writeSync(file, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
  return () => rmSync(path, { force: true });
}
