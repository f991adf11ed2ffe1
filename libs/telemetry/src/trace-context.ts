import {
  context,
  isSpanContextValid,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type SpanOptions,
} from '@opentelemetry/api';

/**
 * The current trace as headers (`traceparent`, perhaps `tracestate`), for NATS messages and outbox rows. Empty where
 * there is no trace.
 */
export function currentTraceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Goes on with the trace that `headers` name, in a span of its own; without such headers a new trace begins. */
export function runWithTraceHeaders<T>(
  headers: Record<string, string>,
  spanName: string,
  attributes: Attributes,
  work: () => Promise<T>,
  kind: SpanKind = SpanKind.CONSUMER,
): Promise<T> {
  // Names of HTTP and NATS headers arrive in whatever case the sender chose.
  const carrier = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const parent = propagation.extract(context.active(), carrier);
  return context.with(parent, () => inSpan(spanName, { attributes, kind }, work));
}

/** Runs `work` in a child span of the current one. An exception is recorded on the span and thrown on. */
export function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  return trace.getTracer('currawong').startActiveSpan(name, options, async (span) => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Error) span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'thrown' });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The ids of the current trace for log lines and answers; undefined outside any trace. */
export function currentTraceIds(): { traceId: string; spanId: string } | undefined {
  const ids = trace.getActiveSpan()?.spanContext();
  return ids !== undefined && isSpanContextValid(ids)
    ? { traceId: ids.traceId, spanId: ids.spanId }
    : undefined;
}

/** The id of the current trace where it is sampled: it was decided when it began that all services keep it. */
export function sampledTraceId(): string | undefined {
  const ids = trace.getActiveSpan()?.spanContext();
  return ids !== undefined && (ids.traceFlags & TraceFlags.SAMPLED) !== 0 ? ids.traceId : undefined;
}
