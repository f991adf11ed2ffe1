import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** undefined for the first span of a trace */
  parentSpanId: string | undefined;
  attributes: Record<string, unknown>;
  /** since the epoch */
  startMs: number;
  durationMs: number;
}

export interface OtlpCollector {
  /** for OTEL_EXPORTER_OTLP_ENDPOINT; needs OTEL_EXPORTER_OTLP_PROTOCOL=http/json */
  endpoint: string;
  /** all spans so far, in order of arrival */
  spans: CollectedSpan[];
  /** every request's body as it came, with the events and links that the spans above leave out */
  exported: string[];
  /** the headers of those requests */
  headers: IncomingHttpHeaders[];
  /**
   * Resolves to the first span that matches, come or yet to come.
   * @throws when there is none within `timeoutMs`
   */
  waitFor(matches: (span: CollectedSpan) => boolean, timeoutMs?: number): Promise<CollectedSpan>;
  close(): Promise<void>;
}

/** A local collector for tests: takes OTLP over HTTP as JSON and keeps the spans in memory. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const exported: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    text(request)
      .then((body) => {
        spans.push(...spansOf(JSON.parse(body) as TraceExport));
        exported.push(body);
        headers.push(request.headers);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        for (const look of waiting) look();
      })
      .catch(() => response.writeHead(400).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    exported,
    headers,
    waitFor: (matches, timeoutMs = 10_000) =>
      new Promise((resolve, reject) => {
        const settle = (act: () => void) => {
          clearTimeout(timer);
          waiting.delete(look);
          act();
        };
        const look = () => {
          const found = spans.find(matches);
          if (found !== undefined) settle(() => resolve(found));
        };
        const timer = setTimeout(() => {
          const names = spans.map(({ service, name }) => `${service}: ${name}`).join(', ');
          settle(() =>
            reject(new Error(`no such span within ${timeoutMs} ms; there are: ${names || 'none'}`)),
          );
        }, timeoutMs);
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The part of OTLP's JSON form that is read here: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface TraceExport {
  resourceSpans?: {
    resource?: { attributes?: Attribute[] };
    scopeSpans?: { spans?: ExportedSpan[] }[];
  }[];
}

interface ExportedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes?: Attribute[];
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

function spansOf({ resourceSpans = [] }: TraceExport): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(recordOf(resource?.attributes)['service.name']);
    return scopeSpans
      .flatMap(({ spans = [] }) => spans)
      .map((span) => ({
        service,
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId === '' ? undefined : span.parentSpanId,
        attributes: recordOf(span.attributes),
        startMs: Number(BigInt(span.startTimeUnixNano) / 1000n) / 1e3,
        durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
      }));
  });
}

function recordOf(attributes: Attribute[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
