/** Where progress is shown. A terminal gets lines that are redrawn; anything else plain lines, without control characters. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Shows steps that run side by side, each with its time once it has ended. */
export class Screen {
  readonly #began = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly output: Output) {}

  get width(): number {
    return Math.min(Math.max(this.output.columns ?? 100, 40), 100);
  }

  /** A finished line. */
  line(text = ''): void {
    this.#clear();
    this.output.write(`${text}\n`);
    this.#draw();
  }

  readonly step = (name: string, state: 'started' | 'finished', seconds: number): void => {
    if (state === 'started') this.#began.set(name, performance.now());
    else this.#began.delete(name);
    if (state === 'finished') this.line(`✓ ${name} (${seconds.toFixed(1)} s)`);
    else this.#draw();
    if (!this.output.isTTY) return;
    if (this.#began.size === 0) clearInterval(this.#timer);
    else this.#timer ??= setInterval(() => this.#draw(), 200).unref();
    if (this.#began.size === 0) this.#timer = undefined;
  };

  /** A bar that is redrawn in a terminal; elsewhere a line at every tenth. */
  bar(name: string): ProgressBar {
    return new ProgressBar(name, this.output);
  }

  /** Ends the drawing, when something has gone wrong in the middle of a step. */
  close(): void {
    clearInterval(this.#timer);
    this.#began.clear();
    this.#clear();
  }

  #draw(): void {
    if (!this.output.isTTY || this.#began.size === 0) return;
    const now = performance.now();
    const running = [...this.#began].map(
      ([name, since]) => `${name} … ${((now - since) / 1000).toFixed(0)} s`,
    );
    this.output.write(`\r\x1b[K  ${running.join('   ').slice(0, (this.output.columns ?? 80) - 3)}`);
  }

  #clear(): void {
    if (this.output.isTTY && this.#began.size >= 0) this.output.write('\r\x1b[K');
  }
}

export class ProgressBar {
  #shownTenth = -1;
  #shownNote = '';

  constructor(
    private readonly name: string,
    private readonly output: Output,
  ) {}

  /** `fraction` from 0 to 1. */
  show(fraction: number, note = ''): void {
    const bounded = Math.min(Math.max(fraction, 0), 1);
    const percent = `${Math.floor(bounded * 100)} %`.padStart(5);
    const remark = note && `  ${note}`;
    if (this.output.isTTY) {
      const filled = Math.round(bounded * 30);
      this.output.write(
        `\r\x1b[K  ${this.name} [${'█'.repeat(filled)}${'·'.repeat(30 - filled)}] ${percent}${remark}`,
      );
      return;
    }
    const tenth = Math.floor(bounded * 10);
    if (tenth === this.#shownTenth && note === this.#shownNote) return;
    this.#shownTenth = tenth;
    this.#shownNote = note;
    this.output.write(`  ${this.name} ${percent}${remark}\n`);
  }

  done(text: string): void {
    this.output.write(`${this.output.isTTY ? '\r\x1b[K' : ''}✓ ${text}\n`);
  }

  /** Leaves the line to a message about what went wrong. */
  abandon(): void {
    if (this.output.isTTY) this.output.write('\r\x1b[K');
  }
}
