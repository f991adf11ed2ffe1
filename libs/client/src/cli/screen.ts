/** Where a person looks: standard error, so that standard output is the text alone. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const BAR_CELLS = 24;

/** A bar that is redrawn in a terminal; elsewhere a plain line at every tenth. */
export class Screen {
  private bar: { name: string; shown: string } | undefined;

  constructor(private readonly output: Output) {}

  /** A finished line, above the bar. */
  line(text: string): void {
    this.clear();
    this.output.write(`${text}\n`);
  }

  /** @param fraction from 0 to 1 */
  progress(name: string, fraction: number, note = ''): void {
    const bounded = Math.min(Math.max(fraction, 0), 1);
    const percent = `${Math.floor(bounded * 100)} %`.padStart(5);
    const remark = note && `  ${note}`;
    if (!this.output.isTTY) {
      const tenth = `${Math.floor(bounded * 10)}`;
      if (this.bar?.name === name && this.bar.shown === tenth) return;
      this.bar = { name, shown: tenth };
      this.output.write(`${name} ${percent}${remark}\n`);
      return;
    }
    const cells = Math.round(bounded * BAR_CELLS);
    const text = `${name} ${'█'.repeat(cells)}${'░'.repeat(BAR_CELLS - cells)} ${percent}${remark}`;
    // A line that wraps could not be drawn over.
    const shown = text.slice(0, (this.output.columns || 80) - 1);
    if (this.bar?.shown === shown) return;
    this.bar = { name, shown };
    this.output.write(`\r\x1b[K${shown}`);
  }

  /** Leaves the line to what comes next. */
  clear(): void {
    if (this.bar && this.output.isTTY) this.output.write('\r\x1b[K');
    this.bar = undefined;
  }
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `1 h 02 min`, `3 min 07 s`, `29 s`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
  return whole >= 60 ? `${Math.floor(whole / 60)} min ${two(whole % 60)} s` : `${whole} s`;
}
