import { SpanStatusCode, TraceFlags, type Context } from '@opentelemetry/api';
import type { ReadableSpan, Span, SpanProcessor } from '@opentelemetry/sdk-trace';

interface OpenTrace {
  /** spans begun and not ended */
  open: number;
  ended: ReadableSpan[];
  /** an error was among its spans: what ends from now on is exported at once */
  kept: boolean;
}

/**
 * Passes sampled spans on, and of the traces that are not sampled those with an error. What a process did for
 * a trace is held until its last span here has ended, and then passed on or dropped as a whole. Other services decide
 * on their own parts: they keep theirs where they have an error as well. Memory is bounded: of the traces under way
 * the newest, of each its last spans.
 *
 * Spans must be recorded whether or not they are sampled (see `createAlwaysRecordSampler`).
 */
export class ErrorTraces implements SpanProcessor {
  private readonly traces = new Map<string, OpenTrace>();

  constructor(
    private readonly next: SpanProcessor,
    private readonly limits = { traces: 1_000, spansPerTrace: 100 },
  ) {}

  onStart(span: Span, parentContext: Context): void {
    this.next.onStart(span, parentContext);
    const { traceId, traceFlags } = span.spanContext();
    if (isSampled(traceFlags)) return;
    const trace = this.traces.get(traceId) ?? { open: 0, ended: [], kept: false };
    trace.open++;
    this.traces.set(traceId, trace);
    // The oldest may be one whose span was forgotten without an end.
    if (this.traces.size > this.limits.traces) this.traces.delete(this.traces.keys().next().value!);
  }

  onEnd(span: ReadableSpan): void {
    const { traceId, traceFlags } = span.spanContext();
    if (isSampled(traceFlags)) return this.next.onEnd(span);
    const trace = this.traces.get(traceId);
    if (trace === undefined) return;
    trace.open--;
    trace.ended.push(span);
    trace.kept ||= span.status.code === SpanStatusCode.ERROR;
    if (trace.kept) for (const one of trace.ended.splice(0)) this.next.onEnd(asSampled(one));
    else if (trace.ended.length > this.limits.spansPerTrace) trace.ended.shift();
    if (trace.open === 0) this.traces.delete(traceId);
  }

  /** Spans that wait for the end of their trace now: for tests of the bounds. */
  get held(): number {
    return [...this.traces.values()].reduce((sum, { ended }) => sum + ended.length, 0);
  }

  forceFlush(): Promise<void> {
    return this.next.forceFlush();
  }

  shutdown(): Promise<void> {
    this.traces.clear();
    return this.next.shutdown();
  }
}

function isSampled(traceFlags: number): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** Exporters leave out what is not marked as sampled. */
function asSampled(span: ReadableSpan): ReadableSpan {
  const spanContext = {
    ...span.spanContext(),
    traceFlags: span.spanContext().traceFlags | TraceFlags.SAMPLED,
  };
  return Object.create(span, { spanContext: { value: () => spanContext } }) as ReadableSpan;
}
