import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 20;
const WINDOW_MS = 1_000;

/** How late this process's own timers were of late: what everybody waits for who is served by it. */
export class LoopDelay {
  private readonly delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private lastMs = 0;
  private readonly timer: NodeJS.Timeout;

  constructor() {
    this.delay.enable();
    this.timer = setInterval(() => this.take(), WINDOW_MS).unref();
  }

  /** Mean of the last whole second, ms beyond what was asked for. */
  meanMs(): number {
    return this.lastMs;
  }

  close(): void {
    clearInterval(this.timer);
    this.delay.disable();
  }

  private take(): void {
    // NaN where nothing was measured, as right after a pause of the machine.
    this.lastMs = Math.max(0, (this.delay.mean || 0) / 1e6 - RESOLUTION_MS);
    this.delay.reset();
  }
}
