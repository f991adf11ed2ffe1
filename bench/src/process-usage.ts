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

/**
 * Samples the memory of a process and of all that it starts; what several of them share is counted once (Pss). What
 * comes and goes between two samples is not seen.
 * @returns ends the sampling and gives the peak in bytes; NaN where the system does not tell by /proc
 */
export function watchMemory(pid: number, everyMs = 100): () => number {
  let peak = treeBytes(pid);
  const timer = setInterval(() => (peak = Math.max(peak, treeBytes(pid))), everyMs);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** Memory of a process and of all that it has started, what several of them share counted once; NaN without /proc. */
export function treeBytes(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const own = Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) * 1024;
    // A child that has just ended counts no more.
    return childrenOf(pid).reduce((sum, child) => sum + (treeBytes(child) || 0), own);
  } catch {
    return NaN;
  }
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
