import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Gauge } from 'prom-client';
import type { Logger } from './logger';
import { TracedHistogram } from './traced-histogram';

/** Names and labels as in OpenTelemetry's semantic conventions for HTTP; a client that left is status 499. */
const requestSeconds = new TracedHistogram({
  name: 'http_server_request_duration_seconds',
  help: 'Time from the first byte of a request until its answer was sent or its client had gone',
  labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});

const activeRequests = new Gauge({
  name: 'http_server_active_requests',
  help: 'Requests that are being answered now, uploads in progress among them',
});
// A service without a public port has none, not 0 of them.
activeRequests.remove();

/**
 * Express middleware that comes before all others: one span, one metric and one log line per request. The line names
 * the route, not the address: ids in paths and anything in query strings stay out of logs and metric labels.
 * Successful requests are logged at debug, refused ones at info, failed ones at error.
 */
export function requestTelemetry(logger: Logger) {
  activeRequests.inc(0);
  return (request: RoutedRequest, response: ServerResponse, next: () => void): void => {
    const startedAtMs = performance.now();
    const method = request.method ?? 'GET';
    const span = trace
      .getTracer('currawong')
      .startSpan(method, { kind: SpanKind.SERVER }, propagation.extract(context.active(), request.headers));
    const traced = trace.setSpan(context.active(), span);
    activeRequests.inc();
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : CLIENT_GONE;
      const route = routeOf(request);
      const durationMs = performance.now() - startedAtMs;
      activeRequests.dec();
      const labels = {
        http_request_method: METHODS.has(method) ? method : '_OTHER',
        http_route: route,
        http_response_status_code: status,
      };
      context.with(traced, () => requestSeconds.observe(labels, durationMs / 1_000));
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

/** Any other would be a label that strangers choose. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function routeOf({ baseUrl = '', route }: RoutedRequest): string {
  return typeof route?.path === 'string' ? `${baseUrl}${route.path}` : 'unmatched';
}
