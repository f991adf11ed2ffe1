import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The parsed file, or undefined when it is absent or was cut short by a crash. */
export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** Readers see the old content or the new, never a half: the file is written aside and renamed. */
export function writeFileAtomic(path: string, content: string, mode = 0o600): void {
  const aside = `${path}.${process.pid}-${randomBytes(3).toString('hex')}`;
  try {
    writeFileSync(aside, content, { mode });
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

export function writeJsonAtomic(path: string, value: unknown, mode = 0o600): void {
  writeFileAtomic(path, JSON.stringify(value, null, 2) + '\n', mode);
}
