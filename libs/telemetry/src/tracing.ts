import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';

export interface Tracing {
  /** Exports what is waiting, then stops. Waits two seconds at most: a dead collector must not hold a process. */
  shutdown(): Promise<void>;
}

let started: Tracing | undefined;

/**
 * Starts tracing once per process; later calls return the first one's.
 *
 * With OTEL_EXPORTER_OTLP_ENDPOINT (or …_TRACES_ENDPOINT) spans are exported there, OTLP over HTTP, as protobuf or with
 * OTEL_EXPORTER_OTLP_PROTOCOL=http/json as JSON; Postgres queries and outgoing HTTP requests become spans as well.
 * OTEL_TRACES_SAMPLER_ARG is the share of traces to keep, 1 unless set.
 * Without an endpoint nothing is recorded, but every request still gets a trace id that log lines and messages carry.
 *
 * @param service overrides nothing: OTEL_SERVICE_NAME comes first
 * @param exporter takes the spans instead of an endpoint, for tests
 */
export function startTracing(
  service = 'currawong',
  { environment = process.env, exporter }: { environment?: NodeJS.ProcessEnv; exporter?: SpanExporter } = {},
): Tracing {
  started ??= start(environment['OTEL_SERVICE_NAME'] ?? service, environment, exporter);
  return started;
}

function start(service: string, environment: NodeJS.ProcessEnv, given: SpanExporter | undefined): Tracing {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const exporter = given ?? (hasEndpoint(environment) ? createExporter(environment) : undefined);
  const share = Number(environment['OTEL_TRACES_SAMPLER_ARG'] ?? 1);
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': service })),
    sampler: exporter
      ? new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(Number.isFinite(share) ? share : 1) })
      : new AlwaysOffSampler(),
    spanProcessors: exporter ? [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 })] : [],
  });
  trace.setGlobalTracerProvider(provider);
  if (exporter) instrumentLibraries(provider);
  return {
    shutdown: async () => {
      const patience = new Promise<void>((resolve) => setTimeout(resolve, 2_000).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), patience]);
    },
  };
}

function hasEndpoint(environment: NodeJS.ProcessEnv): boolean {
  const endpoint =
    environment['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? '';
  return endpoint !== '' && environment['OTEL_SDK_DISABLED'] !== 'true';
}

// Exporters and instrumentations are loaded only where they are used: together they cost more than all the rest.
/* eslint-disable @typescript-eslint/no-require-imports */

function createExporter(environment: NodeJS.ProcessEnv): SpanExporter {
  const protocol =
    environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ??
    environment['OTEL_EXPORTER_OTLP_PROTOCOL'] ??
    'http/protobuf';
  if (protocol === 'http/json') {
    const { OTLPTraceExporter } =
      require('@opentelemetry/exporter-trace-otlp-http') as typeof import('@opentelemetry/exporter-trace-otlp-http');
    return new OTLPTraceExporter();
  }
  const { OTLPTraceExporter } =
    require('@opentelemetry/exporter-trace-otlp-proto') as typeof import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

/** Libraries that are loaded after this call report spans, so it belongs before the application (see `register`). */
function instrumentLibraries(tracerProvider: TracerProvider): void {
  const { HttpInstrumentation } =
    require('@opentelemetry/instrumentation-http') as typeof import('@opentelemetry/instrumentation-http');
  const { PgInstrumentation } =
    require('@opentelemetry/instrumentation-pg') as typeof import('@opentelemetry/instrumentation-pg');
  registerInstrumentations({
    tracerProvider,
    instrumentations: [
      // Requests that come in get their span from `requestTelemetry`, with or without an exporter alike.
      new HttpInstrumentation({
        disableIncomingRequestInstrumentation: true,
        requireParentforOutgoingSpans: true,
      }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
}
