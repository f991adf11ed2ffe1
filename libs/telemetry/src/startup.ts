import { setTimeout as sleep } from 'node:timers/promises';

/** The part of a logger that is needed here. */
export interface StartupLog {
  warn(about: object, sentence: string): void;
  info(about: object, sentence: string): void;
}

const REPEAT_MS = 10_000;
const ASK_AGAIN_MS = 1_000;

/**
 * What a process waits for before it takes work: servers that are not there yet, a schema that is not migrated. It stays
 * alive meanwhile, says what is missing in its log and to whoever asks whether it is ready, and goes on by itself.
 * Also the injection token under which providers receive it.
 */
export class Startup {
  private readonly waiting = new Map<string, string>();

  constructor(
    private readonly log: StartupLog,
    /** aborted when the process is told to stop before it has started */
    readonly signal: AbortSignal = new AbortController().signal,
  ) {}

  /** What readiness says until the process is up. */
  detail(): string {
    return this.waiting.size === 0 ? 'starting' : [...this.waiting.values()].join(' ');
  }

  /**
   * Resolves when `missing` gives undefined; until then its sentence says what is missing and what to do.
   * @throws the signal's reason at once when it fires; what `missing` throws
   */
  async waitFor(what: string, missing: () => Promise<string | undefined>): Promise<void> {
    let said = '';
    let saidAtMs = 0;
    try {
      for (;;) {
        const sentence = await unlessAborted(missing, this.signal);
        if (sentence === undefined) {
          if (said !== '') this.log.info({ waited_for: what }, `${what}: it is there now`);
          return;
        }
        this.waiting.set(what, sentence);
        if (sentence !== said || performance.now() - saidAtMs >= REPEAT_MS) {
          this.log.warn({ waiting_for: what }, sentence);
          said = sentence;
          saidAtMs = performance.now();
        }
        await unlessAborted(() => sleep(ASK_AGAIN_MS, undefined, { signal: this.signal }), this.signal);
      }
    } finally {
      this.waiting.delete(what);
    }
  }
}

/** Whoever is asked may take its time; the signal does not wait for that. */
async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort = () => undefined as void;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    aborted.catch(() => undefined);
  }
}
