import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process that ran once: its id, and when it began, because ids are given out again. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly began: string;
}

/** Undefined when no such process runs. A zombie counts as not running. */
export function identify(pid: number): ProcessIdentity | undefined {
  const began = process.platform === 'linux' ? beganOnLinux(pid) : beganByPs(pid);
  return began === undefined ? undefined : { pid, began };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.began === identity.began;
}

function beganOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may itself hold spaces and parentheses: count the fields behind the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${bootId()}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function beganByPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
