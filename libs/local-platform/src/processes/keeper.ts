import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, closeSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJson, writeJsonAtomic } from '../files';
import { SetupError } from '../setup-error';
import { identify, isRunning, type ProcessIdentity } from './identity';

/** In which order processes are stopped: those of a lower stage first. */
export const stopStage = { service: 0, server: 1 } as const;

export interface KeptOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Standard output and standard error are appended here. */
  readonly logPath: string;
  readonly stage: number;
  /** The signal that asks it to end in order. */
  readonly stopSignal: NodeJS.Signals;
  readonly uid?: number;
  readonly gid?: number;
}

export interface KeptProcess {
  readonly name: string;
  readonly pid: number;
  /** Settles when the process has ended, with what ended it. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** Asks it to end; by force after the grace, together with everything that it started. */
  stop(graceSeconds?: number): Promise<void>;
}

interface Entry extends ProcessIdentity {
  readonly name: string;
  readonly stage: number;
  readonly signal: NodeJS.Signals;
}

/**
 * Starts processes that end when this process does, in whatever way it ends. Two things see to that: a keeper process
 * that holds a pipe from this one, and a file from which the next start clears what a crash of both left behind.
 */
export class Keeper {
  readonly #entries = new Map<number, Entry>();
  readonly #running = new Set<KeptProcess>();
  #closed = false;

  get isClosed(): boolean {
    return this.#closed;
  }

  private constructor(
    private readonly recordPath: string,
    private readonly watcher: ChildProcess,
    /** This process and its keeper. */
    private readonly own: readonly Entry[],
  ) {}

  /** Clears what an earlier start left in this folder, then stands ready. */
  static async open(dataFolder: string): Promise<Keeper> {
    mkdirSync(dataFolder, { recursive: true });
    const recordPath = join(dataFolder, 'processes.json');
    await clearLeftovers(recordPath);
    const watcher = spawn(process.execPath, [keeperProgram()], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: {},
    });
    watcher.on('error', () => undefined);
    watcher.stdin?.on('error', () => undefined);
    watcher.unref();
    (watcher.stdin as unknown as { unref?: () => void }).unref?.();
    const own = (
      [
        ['owner', process.pid],
        ['keeper', watcher.pid],
      ] as const
    ).flatMap(([name, pid]) => {
      const identity = pid === undefined ? undefined : identify(pid);
      return identity ? [{ ...identity, name, stage: -1, signal: 'SIGTERM' as const }] : [];
    });
    return new Keeper(recordPath, watcher, own);
  }

  start(options: KeptOptions): KeptProcess {
    if (this.#closed) throw new Error(`${options.name} cannot be started: everything is being stopped.`);
    const log = openSync(options.logPath, 'a', 0o600);
    const child = spawn(options.program, options.args, {
      cwd: options.cwd,
      env: options.env,
      // A process group of its own: Ctrl-C in the terminal reaches the starter alone, which then stops in order.
      detached: true,
      stdio: ['ignore', log, log],
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    });
    closeSync(log);
    const kept = this.#adopt(child, options);
    this.#running.add(kept);
    void kept.ended.then(() => this.#running.delete(kept));
    return kept;
  }

  /** A file that says that all this runs: it goes when this process goes. */
  removeAtEnd(path: string): void {
    this.watcher.stdin?.write(JSON.stringify({ file: path }) + '\n');
  }

  /** Stops what still runs, services first, and the keeper itself. Nothing can be started after. */
  async close(): Promise<void> {
    this.#closed = true;
    const entries = [...this.#entries.values()];
    for (const stage of [...new Set(entries.map((entry) => entry.stage))].sort((a, b) => a - b)) {
      const pids = new Set(entries.filter((entry) => entry.stage === stage).map((entry) => entry.pid));
      await Promise.all([...this.#running].filter((kept) => pids.has(kept.pid)).map((kept) => kept.stop()));
    }
    this.watcher.stdin?.end();
    rmSync(this.recordPath, { force: true });
  }

  #adopt(child: ChildProcess, options: KeptOptions): KeptProcess {
    const pid = child.pid ?? -1;
    let over = false;
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    }).then((reason) => {
      over = true;
      if (pid > 0) this.#forget(pid);
      return reason;
    });
    if (pid > 0) this.#record(pid, options);
    const kill = (signal: NodeJS.Signals) => {
      if (!over && pid > 0) child.kill(signal);
    };
    return {
      name: options.name,
      pid,
      ended,
      hasEnded: () => over,
      kill,
      async stop(graceSeconds = 10) {
        kill(options.stopSignal);
        // A paused process would sleep through the request.
        kill('SIGCONT');
        const giveUp = new AbortController();
        const late = sleep(graceSeconds * 1000, 'late', { signal: giveUp.signal }).catch(() => 'cancelled');
        if ((await Promise.race([ended, late])) === 'late') kill('SIGKILL');
        giveUp.abort();
        await ended;
      },
    };
  }

  #record(pid: number, options: KeptOptions): void {
    const entry = { pid, stage: options.stage, signal: options.stopSignal };
    this.watcher.stdin?.write(JSON.stringify({ add: entry }) + '\n');
    this.#entries.set(pid, { ...entry, name: options.name, began: identify(pid)?.began ?? '' });
    this.#save();
  }

  #forget(pid: number): void {
    // Whatever the process had started itself (an engine, a decoder) goes with it.
    signalQuietly(-pid, 'SIGKILL');
    this.watcher.stdin?.write(JSON.stringify({ remove: pid }) + '\n');
    this.#entries.delete(pid);
    this.#save();
  }

  #save(): void {
    writeJsonAtomic(this.recordPath, [...this.own, ...this.#entries.values()]);
  }
}

/** Stops what a dead start left running; a process that merely has the same id is never touched. */
async function clearLeftovers(recordPath: string): Promise<void> {
  const entries = readJson<Entry[]>(recordPath);
  if (!Array.isArray(entries)) return;
  const owner = entries.find((entry) => entry.name === 'owner');
  if (owner && isRunning(owner)) {
    throw new SetupError(`${dirname(recordPath)} is in use by process ${owner.pid}: stop it first.`);
  }
  // The keeper of a start that was killed may be at work right now: let it finish.
  const keeper = entries.find((entry) => entry.name === 'keeper');
  if (keeper) await waitUntilGone([keeper], 20);
  const left = entries.filter((entry) => entry !== keeper && entry !== owner);
  for (const stage of [...new Set(left.map((entry) => entry.stage))].sort((a, b) => a - b)) {
    const members = left.filter((entry) => entry.stage === stage && isRunning(entry));
    for (const entry of members) signalQuietly(entry.pid, entry.signal);
    await waitUntilGone(members, 10);
    for (const entry of members) if (isRunning(entry)) signalQuietly(-entry.pid, 'SIGKILL');
    await waitUntilGone(members, 5);
  }
  rmSync(recordPath, { force: true });
}

async function waitUntilGone(entries: readonly ProcessIdentity[], seconds: number): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (Date.now() < deadline && entries.some(isRunning)) await sleep(50);
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone.
  }
}

/** Compiled beside this file in a build; in tests, which run from the sources, Node strips the types itself. */
function keeperProgram(): string {
  const compiled = join(__dirname, 'keeper-process.js');
  return existsSync(compiled) ? compiled : join(__dirname, 'keeper-process.ts');
}
