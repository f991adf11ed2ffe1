import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Readable } from 'node:stream';

/** What a program that reads hostile bytes may take. */
export interface SandboxLimits {
  /** Of address space. */
  readonly memoryBytes: number;
  /** Of a processor, all threads together. */
  readonly cpuSeconds: number;
}

/** Input, output, complaints, the recording, and some for the program's own libraries. */
const OPEN_FILES = 64;

/**
 * The shell sets the limits and is then replaced by the program, so the process id stays the same. Limits are only ever
 * lowered, which needs no privilege; where the platform knows one of them not (`ulimit -v` on macOS) the container's own has
 * to do. `-f 0`: it writes into pipes and can make or change no file. `-u` is left alone: it counts all processes of the user,
 * those of other pods on the node among them. The signal for too much time comes before the end that nothing can catch, so
 * that it can be told from an end that somebody else has caused.
 */
const LIMITED = `ulimit -c 0 2>/dev/null; ulimit -f 0 2>/dev/null; ulimit -n ${OPEN_FILES} 2>/dev/null; ulimit -S -t "$1" 2>/dev/null; ulimit -H -t $(($1 + 5)) 2>/dev/null; ulimit -v "$2" 2>/dev/null; shift 2; exec "$@"`;

export type SandboxedProcess = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Runs a program with nothing of our environment, in a process group of its own, behind the others in the queue for the
 * processor, held to the limits, and without a network where the kernel lets us take it away.
 * @param program as an absolute path: there is no environment to look names up in
 */
export function runSandboxed(
  program: string,
  args: readonly string[],
  limits: SandboxLimits,
): SandboxedProcess {
  const [cpu, memory] = [Math.ceil(limits.cpuSeconds), Math.floor(limits.memoryBytes / 1024)];
  const limited = ['/bin/sh', '-c', LIMITED, 'sh', String(cpu), String(memory), program, ...args];
  const [first, ...rest] = [...withoutNetwork(), ...limited] as [string, ...string[]];
  const child = spawn(first, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { LC_ALL: 'C' },
    // A group of its own, so that whatever it starts can be ended with it.
    detached: true,
  });
  if (child.pid !== undefined) makeNice(child.pid);
  return child;
}

/** Ends the program and all that it may have started. */
export function killSandboxed(child: SandboxedProcess): void {
  const { pid, exitCode, signalCode } = child;
  // An id that has been waited for may be somebody else's by now.
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

/** A recording that is hard to decode takes nothing from the speech engines beside it. */
function makeNice(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}

/** Whether programs are run without a network on this machine. */
export function takesNetworkAway(): boolean {
  return withoutNetwork().length > 0;
}

let prefix: readonly string[] | undefined;

/**
 * A network namespace of its own has no way out, not even to this machine. Making one takes a user namespace, which some
 * kernels and the container runtimes' own profile of system calls refuse: then the network policy of the pod is what is left.
 */
function withoutNetwork(): readonly string[] {
  if (prefix) return prefix;
  const unshare = ['/usr/bin/unshare', '--user', '--net', '--ipc', '--'];
  const [program, ...args] = unshare as [string, ...string[]];
  const tried = spawnSync(program, [...args, '/bin/sh', '-c', 'exit 0'], {
    stdio: 'ignore',
    timeout: 5_000,
    env: {},
  });
  prefix = tried.status === 0 ? unshare : [];
  return prefix;
}
