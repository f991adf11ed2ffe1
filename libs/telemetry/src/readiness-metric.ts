import { Gauge } from 'prom-client';

let ask: (() => Promise<{ ok: boolean }>) | undefined;

new Gauge({
  name: 'currawong_ready',
  help: 'Whether this process can take work: 1, or 0 while something that it needs is away',
  async collect() {
    if (ask) this.set((await ask()).ok ? 1 : 0);
  },
});

/** @param ready what the readiness probe is answered from; it always answers, and soon */
export function showReadiness(ready: () => Promise<{ ok: boolean }>): void {
  ask = ready;
}
