import { setImmediate } from 'node:timers/promises';

/**
 * Lets long arithmetic share the thread: heartbeats and aborts come through between its steps. Awaiting it
 * costs nothing until its time is up.
 */
export class Breather {
  private since = performance.now();

  constructor(private readonly signal?: AbortSignal | undefined) {}

  /** @throws the signal's reason. */
  async breathe(): Promise<void> {
    if (performance.now() - this.since < 30) return;
    await setImmediate();
    this.signal?.throwIfAborted();
    this.since = performance.now();
  }
}
