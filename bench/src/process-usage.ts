import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { NotMeasurable } from './measurement';

/** Linux counts in these, whatever its own clock does. */
const ticksPerSecond = 100;

/**
 * CPU seconds that the processes, and all that they have started, have used so far; NaN where the system does not tell
 * by /proc.
 */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
}

function cpuSecondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and the same of children that have ended.
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return ticks / ticksPerSecond + cpuSeconds(childrenOf(pid));
  } catch {
    return NaN;
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

/** Memory of the process that is in use now, in bytes. @throws NotMeasurable without /proc */
export function residentBytes(pid: number): number {
  return statusBytes(pid, 'VmRSS');
}

/** From now on `peakBytes` tells of what comes after. @throws NotMeasurable without /proc */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch (error) {
    throw new NotMeasurable(`the system keeps no peak of a process's memory (${(error as Error).message})`);
  }
}

/** The most memory that was in use since `forgetPeak`, in bytes. @throws NotMeasurable without /proc */
export function peakBytes(pid: number): number {
  return statusBytes(pid, 'VmHWM');
}

function statusBytes(pid: number, name: string): number {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    throw new NotMeasurable('the system does not tell by /proc how much memory a process uses');
  }
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  if (kibibytes === undefined) throw new NotMeasurable(`the system does not tell ${name} of a process`);
  return Number(kibibytes) * 1024;
}
