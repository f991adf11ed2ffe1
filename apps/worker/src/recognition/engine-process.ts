import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { bytesOf, SAMPLES_PER_SECOND } from '../audio/pcm';
import { EngineCrashed } from './recognizer';

export interface EngineProcessOptions {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** From start to its first line; default 60, because models are loaded meanwhile. */
  readonly startSeconds?: number;
  /** An utterance may take this long in any case; default 20. */
  readonly patienceSeconds?: number;
  /** And this many seconds more per second of its audio; default 10. */
  readonly patienceFactor?: number;
  /** Called when the engine is started again, after it was lost. */
  readonly onRestart?: () => void;
}

/** What an engine says of itself once its model is loaded; each kind of engine adds its own. */
export interface EngineReady {
  readonly name: string;
  readonly version: string;
  /** Which weights, exactly. */
  readonly model?: string;
  /** How many utterances it works on at a time; 1 unless it says so. */
  readonly batch?: number;
}

interface Utterance<Answer> {
  readonly id: number;
  readonly header: object;
  readonly pcm: Int16Array;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: Error) => void;
  /** Nobody waits for the answer any more; it is dropped when it comes. */
  abandoned: boolean;
}

/**
 * A model in a process of its own, so that a native crash costs one utterance and not the worker.
 *
 * In, per utterance: four bytes little-endian length, that many bytes of JSON `{id, pcmBytes, …header}`, then `pcmBytes`
 * of 16 kHz mono s16le. Out: one JSON line `{ready: true, name, version, model, batch, …}`, then a line `{id, …answer}`
 * or `{id, error}` per utterance, in order. The engine ends when its input does.
 *
 * The next utterances are written while it works, so the engine never waits for us. After a crash or a hang the oldest
 * that it had not answered is rejected and the others go to a new process.
 *
 * @typeParam Ready what its first line says
 * @typeParam Answer what a line of an utterance says beside its id
 */
export class EngineProcess<Ready extends EngineReady, Answer> {
  private child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  private ready: Promise<Ready> | undefined;
  /** Utterances that the engine has at a time: those it works on and as many ahead. */
  private window = 2;
  private readonly waiting: Utterance<Answer>[] = [];
  private readonly sent: Utterance<Answer>[] = [];
  private patience: NodeJS.Timeout | undefined;
  private nextId = 1;
  private wasStarted = false;
  private closed = false;
  /** The last things the engine complained about: for the log, never for a client. */
  private complaints = '';

  constructor(private readonly options: EngineProcessOptions) {}

  /** Starts the engine where it is not running. @throws EngineCrashed when it does not come up. */
  start(): Promise<Ready> {
    if (this.closed) return Promise.reject(new EngineCrashed('The engine was closed'));
    if (this.ready) return this.ready;
    if (this.wasStarted) this.options.onRestart?.();
    this.wasStarted = true;
    this.ready = this.spawn();
    return this.ready;
  }

  /** The process id while it runs: for tests and metrics. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /**
   * @param pcm one utterance, 16 kHz mono.
   * @param header what else the engine is to know of it
   * @throws EngineCrashed, an Error with the engine's own words, or the signal's reason.
   */
  ask(pcm: Int16Array, header: object, signal?: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      if (this.closed) return reject(new EngineCrashed('The engine was closed'));
      const onAbort = () => {
        utterance.abandoned = true;
        reject(signal?.reason as Error);
      };
      const utterance: Utterance<Answer> = {
        id: this.nextId++,
        header,
        pcm,
        abandoned: false,
        resolve: (answer) => {
          signal?.removeEventListener('abort', onAbort);
          resolve(answer);
        },
        reject: (reason) => {
          signal?.removeEventListener('abort', onAbort);
          reject(reason);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.waiting.push(utterance);
      this.advance();
    });
  }

  /** Lets the engine end by itself for two seconds, then ends it. What is under way is rejected. */
  async close(): Promise<void> {
    this.closed = true;
    const child = this.child;
    this.child = undefined;
    clearTimeout(this.patience);
    for (const utterance of [...this.sent.splice(0), ...this.waiting.splice(0)]) {
      utterance.reject(new EngineCrashed('The engine was closed'));
    }
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((done) => child.once('close', () => done()));
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 2000);
    await gone;
    clearTimeout(timer);
  }

  private spawn(): Promise<Ready> {
    const { command, arguments: args, environment, startSeconds = 60 } = this.options;
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(environment ? { env: environment } : {}),
    });
    this.child = child;
    this.complaints = '';
    child.stderr.on(
      'data',
      (text: Buffer) => (this.complaints = (this.complaints + text.toString()).slice(-2000)),
    );
    // A write to an engine that just died fails here; the exit is what is acted upon.
    child.stdin.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), startSeconds * 1000);
      const lines = createInterface({ input: child.stdout });
      let isReady = false;
      lines.on('line', (line) => {
        const message = parsed<Ready & Answer>(line);
        if (child !== this.child || !message) return;
        if (message.ready) {
          isReady = true;
          clearTimeout(timer);
          this.window = 2 * (message.batch ?? 1);
          resolve(message);
          this.advance();
        } else this.receive(message);
      });
      const onGone = (why: string) => {
        clearTimeout(timer);
        const crash = new EngineCrashed(`The speech engine ${why}. ${this.complaints.trim()}`.trim());
        if (!isReady) reject(crash);
        if (child === this.child) this.lose(crash, isReady);
      };
      child.once('error', (error) => onGone(`could not be started: ${error.message}`));
      child.once('close', (code, signal) =>
        onGone(signal ? `was ended by ${signal}` : `ended with status ${code}`),
      );
    });
  }

  /** After a crash: the utterance worked on is lost; where the engine never came up, so are all. */
  private lose(crash: EngineCrashed, wasReady: boolean): void {
    this.child = undefined;
    this.ready = undefined;
    clearTimeout(this.patience);
    const unanswered = [...this.sent.splice(0), ...this.waiting.splice(0)];
    const lost = wasReady ? unanswered.splice(0, 1) : unanswered.splice(0);
    this.waiting.push(...unanswered);
    for (const utterance of lost) utterance.reject(crash);
    this.advance();
  }

  private receive(message: Answer & Reply): void {
    const utterance = this.sent[0];
    if (!utterance || utterance.id !== message.id) return;
    this.sent.shift();
    clearTimeout(this.patience);
    if (message.error !== undefined)
      utterance.reject(new Error(`The speech engine refused: ${message.error}`));
    else utterance.resolve(message);
    if (this.sent.length > 0) this.expectAnswer();
    this.advance();
  }

  /** Keeps the engine supplied. */
  private advance(): void {
    while (this.waiting[0]?.abandoned) this.waiting.shift();
    if (this.waiting.length === 0) return;
    if (!this.child) {
      // A failure to start reaches the utterances through `lose`.
      this.start().catch(() => undefined);
    }
    void this.ready?.then(
      () => this.send(),
      () => undefined,
    );
  }

  private send(): void {
    while (this.child && this.sent.length < this.window && this.waiting.length > 0) {
      const utterance = this.waiting.shift()!;
      if (utterance.abandoned) continue;
      const pcm = bytesOf(utterance.pcm);
      const header = Buffer.from(
        JSON.stringify({ ...utterance.header, id: utterance.id, pcmBytes: pcm.length }),
      );
      const length = Buffer.alloc(4);
      length.writeUInt32LE(header.length);
      this.child.stdin.write(Buffer.concat([length, header, pcm]));
      this.sent.push(utterance);
      if (this.sent.length === 1) this.expectAnswer();
    }
  }

  private expectAnswer(): void {
    const { patienceSeconds = 20, patienceFactor = 10 } = this.options;
    // All that it has: in a batch the first answer comes when the last is known.
    const audioSeconds = this.sent.reduce((sum, { pcm }) => sum + pcm.length, 0) / SAMPLES_PER_SECOND;
    const child = this.child;
    clearTimeout(this.patience);
    this.patience = setTimeout(
      () => child?.kill('SIGKILL'),
      (patienceSeconds + patienceFactor * audioSeconds) * 1000,
    );
  }
}

interface Reply {
  readonly ready?: boolean;
  readonly id?: number;
  readonly error?: string;
}

/** Native libraries sometimes print to standard output; what is not JSON is not for us. */
function parsed<Message>(line: string): (Message & Reply) | undefined {
  try {
    return JSON.parse(line) as Message & Reply;
  } catch {
    return undefined;
  }
}
