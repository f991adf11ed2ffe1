/** One metric as a service exports it. */
export interface Exported {
  type: string;
  /** Names of the labels that its series have now, without those that all have. */
  labels: Set<string>;
  /** Sums over all series whose name (with `_count` and the like) and labels begin so. */
  series: { name: string; labels: Record<string, string>; value: number }[];
}

/** What a service says at /metrics, in the text form, by the names that the metrics have in their TYPE lines. */
export class Exposition {
  readonly metrics = new Map<string, Exported>();

  static async of(metricsUrl: string): Promise<Exposition> {
    const response = await fetch(`${metricsUrl}/metrics`);
    if (!response.ok) throw new Error(`${metricsUrl} answered ${response.status}: ${await response.text()}`);
    return new Exposition(await response.text());
  }

  constructor(text: string) {
    let current: Exported | undefined;
    for (const line of text.split('\n')) {
      const type = /^# TYPE (\S+) (\S+)$/.exec(line);
      if (type) {
        current = { type: type[2]!, labels: new Set(), series: [] };
        this.metrics.set(type[1]!, current);
      }
      const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (!sample || !current) continue;
      const labels = Object.fromEntries(
        [...(sample[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [
          name!,
          value!,
        ]),
      );
      for (const name of Object.keys(labels)) if (!COMMON.has(name)) current.labels.add(name);
      current.series.push({ name: sample[1]!, labels, value: Number(sample[3]) });
    }
  }

  /** @returns the sum of the series of that name which have these labels; 0 where there are none */
  value(name: string, labels: Record<string, string> = {}): number {
    return [...this.metrics.values()]
      .flatMap(({ series }) => series)
      .filter((one) => one.name === name)
      .filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  }
}

const COMMON = new Set(['service', 'le']);
