import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Histogram } from 'prom-client';
import type { Logger } from './logger';

const requestSeconds = new Histogram({
  name: 'currawong_http_request_seconds',
  help: 'Time from the first byte of a request until its answer was sent or its client had gone',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 300],
});

/**
 * Express middleware that comes before all others: one span, one metric and one log line per request. The line names
 * the route, not the address: ids in paths and anything in query strings stay out of logs and metric labels.
 * Successful requests are logged at debug, refused ones at info, failed ones at error.
 */
export function requestTelemetry(logger: Logger) {
  return (request: RoutedRequest, response: ServerResponse, next: () => void): void => {
    const startedAtMs = performance.now();
    const method = request.method ?? 'GET';
    const span = trace
      .getTracer('currawong')
      .startSpan(method, { kind: SpanKind.SERVER }, propagation.extract(context.active(), request.headers));
    const traced = trace.setSpan(context.active(), span);
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : CLIENT_GONE;
      const route = routeOf(request);
      const durationMs = performance.now() - startedAtMs;
      requestSeconds.observe({ method, route, status }, durationMs / 1_000);
      span.updateName(`${method} ${route}`);
      span.setAttributes({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
      });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      context.with(traced, () => {
        const level = status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug';
        logger[level]({ method, route, status, duration_ms: Math.round(durationMs * 10) / 10 }, 'request');
      });
      span.end();
    });
    context.with(traced, next);
  };
}

type RoutedRequest = IncomingMessage & { baseUrl?: string; route?: { path?: unknown } };

/** The client closed the connection before it had the whole answer; nginx uses the same number. */
const CLIENT_GONE = 499;

function routeOf({ baseUrl = '', route }: RoutedRequest): string {
  return typeof route?.path === 'string' ? `${baseUrl}${route.path}` : 'unmatched';
}
