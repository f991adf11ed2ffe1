import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, register } from 'prom-client';
import { showBuild } from './build-info';
import { showReadiness } from './readiness-metric';
import { renderMetrics } from './render-metrics';

export type Readiness = { ok: boolean; detail?: string };

export interface OperationsServerOptions {
  /** 0 lets the system choose */
  port: number;
  host?: string;
  service: string;
  /** tests what taking work needs; its exception counts as not ready */
  ready: () => Promise<Readiness>;
}

export interface OperationsServer {
  port: number;
  close(): Promise<void>;
}

/**
 * The small server of whoever runs the service, apart from the one that customers reach:
 * `/metrics` for Prometheus, `/health/live` (the process answers), `/health/ready` (503 with the reason when work
 * cannot be taken now).
 */
export async function startOperationsServer(options: OperationsServerOptions): Promise<OperationsServer> {
  register.setDefaultLabels({ service: options.service });
  if (register.getSingleMetric('process_cpu_seconds_total') === undefined) collectDefaultMetrics();
  showBuild();
  showReadiness(() => readinessWithin(options.ready));
  const server = createServer((request, response) => {
    answer(request, response, options).catch((error: unknown) =>
      sendJson(response, 500, { detail: error instanceof Error ? error.message : String(error) }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host ?? '0.0.0.0', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: OperationsServerOptions,
): Promise<void> {
  const path = request.url?.split('?')[0];
  if (path === '/metrics') {
    const { body, contentType } = await renderMetrics(request.headers.accept);
    return send(response, 200, body, contentType);
  }
  if (path === '/health/live') return sendJson(response, 200, { status: 'ok' });
  if (path !== '/health/ready') return sendJson(response, 404, { detail: 'Not found' });
  const readiness = await readinessWithin(options.ready);
  if (readiness.ok) sendJson(response, 200, { status: 'ok' });
  else sendJson(response, 503, { detail: readiness.detail ?? 'not ready' });
}

/** Probes give up after a second or a few; an answer with a reason must come before that. */
async function readinessWithin(ready: () => Promise<Readiness>): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Readiness>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, detail: 'the readiness check takes too long' }), 900);
  });
  try {
    return await Promise.race([ready(), late]);
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : 'the readiness check failed' };
  } finally {
    clearTimeout(timer);
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, JSON.stringify(body), 'application/json');
}

function send(response: ServerResponse, status: number, body: string, contentType: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
  response.end(body);
}
