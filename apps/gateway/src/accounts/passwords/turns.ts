import { RefusalException } from '../../http/refusal.exception';

/** Lets so many pieces of work run at once, so many wait in line, and refuses the rest. */
export class Turns {
  private running = 0;
  private readonly line: (() => void)[] = [];

  constructor(private readonly limits: { atOnce: number; waiting: number }) {}

  /** @throws RefusalException 503 when the line is full */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.limits.atOnce) this.running++;
    else await this.wait();
    try {
      return await work();
    } finally {
      const next = this.line.shift();
      // Whoever waits takes over this turn: the number that run stays the same.
      if (next) next();
      else this.running--;
    }
  }

  private wait(): Promise<void> {
    if (this.line.length >= this.limits.waiting) throw RefusalException.of('unavailable');
    return new Promise((resolve) => this.line.push(resolve));
  }
}
