import { Histogram, openMetricsContentType, register, type HistogramConfiguration } from 'prom-client';
import { sampledTraceId } from './trace-context';

// Exemplars exist in OpenMetrics alone, and prom-client wants to know before the first histogram with them is made.
// What a scrape gets is negotiated: see `renderMetrics`.
register.setContentType(openMetricsContentType as never);

type Labels<Label extends string> = Partial<Record<Label, string | number>>;

/**
 * A histogram, registered as any other, whose buckets name a trace that fell into them: from a slow bucket in a
 * dashboard it is one step to what took so long. Only sampled traces are named, because no other is sure to be kept.
 */
export class TracedHistogram<Label extends string = never> {
  private readonly histogram: Histogram<Label>;

  constructor(configuration: Omit<HistogramConfiguration<Label>, 'enableExemplars'>) {
    this.histogram = new Histogram({ ...configuration, enableExemplars: true });
  }

  /** @param traceId of the current trace where left out */
  observe(labels: Labels<Label>, value: number, traceId = sampledTraceId()): void {
    const exemplarLabels = (traceId === undefined ? {} : { trace_id: traceId }) as Labels<Label>;
    this.histogram.observe({ labels, value, exemplarLabels });
  }

  /** @returns a function that observes the seconds since, with labels that are known only then */
  startTimer(labels: Labels<Label>): (endLabels?: Labels<Label>, traceId?: string) => void {
    const startedAtMs = performance.now();
    return (endLabels, traceId) =>
      this.observe({ ...labels, ...endLabels }, (performance.now() - startedAtMs) / 1_000, traceId);
  }

  /** Makes the series of these labels exist before anything is observed, so that its first increase is seen as one. */
  zero(labels: Labels<Label>): void {
    if (!this.initialized.has(JSON.stringify(labels))) this.histogram.zero(labels);
    this.initialized.add(JSON.stringify(labels));
  }

  private readonly initialized = new Set<string>();
}
