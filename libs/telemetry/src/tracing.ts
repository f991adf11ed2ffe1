import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  createAlwaysRecordSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { ErrorTraces } from './error-traces';

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
 * OTEL_EXPORTER_OTLP_HEADERS are sent along. OTEL_TRACES_SAMPLER_ARG is the share of traces to keep, 1 unless set, decided
 * where a trace begins; of the others each process exports its part where that has an error (see `ErrorTraces`).
 * Without an endpoint nothing is recorded, but every request still gets a trace id that log lines and messages carry.
 *
 * @param service overrides nothing: OTEL_SERVICE_NAME comes first
 * @param exporter takes the spans instead of an endpoint, for tests
 * @throws where a setting cannot be followed
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
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': service })),
    sampler: exporter
      ? createAlwaysRecordSampler(
          new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(shareOf(environment)) }),
        )
      : new AlwaysOffSampler(),
    spanProcessors: exporter
      ? [new ErrorTraces(new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 }))]
      : [],
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

function shareOf(environment: NodeJS.ProcessEnv): number {
  const text = environment['OTEL_TRACES_SAMPLER_ARG'] || '1';
  const share = Number(text);
  if (share >= 0 && share <= 1) return share;
  throw new Error(`OTEL_TRACES_SAMPLER_ARG: must be a share from 0 to 1, such as 0.1, not "${text}"`);
}

function hasEndpoint(environment: NodeJS.ProcessEnv): boolean {
  const endpoint =
    environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || '';
  return endpoint !== '' && environment['OTEL_SDK_DISABLED'] !== 'true';
}

// Exporters and instrumentations are loaded only where they are used: together they cost more than all the rest.
/* eslint-disable @typescript-eslint/no-require-imports */

function createExporter(environment: NodeJS.ProcessEnv): SpanExporter {
  const protocol =
    environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ||
    environment['OTEL_EXPORTER_OTLP_PROTOCOL'] ||
    'http/protobuf';
  if (protocol !== 'http/json' && protocol !== 'http/protobuf')
    throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json, not "${protocol}"`);
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
