import type { Keeper, KeptOptions, KeptProcess } from './keeper';

const firstPauseMilliseconds = 200;
const longestPauseMilliseconds = 5_000;
const steadyAfterMilliseconds = 30_000;

/** A process that is started again when it ends, with growing pauses, until it is told to halt. */
export class Supervised {
  readonly name: string;
  #process: KeptProcess | undefined;
  #wanted = false;
  #pause = firstPauseMilliseconds;
  #again: NodeJS.Timeout | undefined;
  #endings: string[] = [];

  constructor(
    private readonly keeper: Keeper,
    private readonly options: KeptOptions,
    /** Called after every start and every end. */
    private readonly onChange: () => void = () => undefined,
  ) {
    this.name = options.name;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** How it ended each time without having been told to. */
  get endings(): readonly string[] {
    return this.#endings;
  }

  get logPath(): string {
    return this.options.logPath;
  }

  start(): void {
    clearTimeout(this.#again);
    this.#wanted = true;
    if (this.#process || this.keeper.isClosed) return;
    const began = performance.now();
    const started = this.keeper.start(this.options);
    this.#process = started;
    this.onChange();
    void started.ended.then((reason) => {
      this.#process = undefined;
      this.onChange();
      if (!this.#wanted || this.keeper.isClosed) return;
      this.#endings.push(reason);
      if (performance.now() - began > steadyAfterMilliseconds) this.#pause = firstPauseMilliseconds;
      this.#again = setTimeout(() => this.start(), this.#pause);
      this.#pause = Math.min(this.#pause * 2, longestPauseMilliseconds);
    });
  }

  /** Sends a signal; it comes back by itself if that ends it. False when it is not running just now. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): boolean {
    this.#process?.kill(signal);
    return this.#process !== undefined;
  }

  /** Ends it in order, or by force after the grace, and leaves it ended until the next start. */
  async halt(graceSeconds?: number): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#again);
    await this.#process?.stop(graceSeconds);
  }

  async restart(): Promise<void> {
    await this.halt();
    this.start();
  }
}
