import type { IncomingMessage, ServerResponse } from 'node:http';
import { sampledTraceId, TracedHistogram } from '@currawong/telemetry';
import { Counter } from 'prom-client';

const receiptSeconds = new TracedHistogram({
  name: 'currawong_receipt_seconds',
  help: 'Time from the last byte of an accepted upload until its 200 was sent',
  labelNames: [],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

export const uploadBytes = new Counter({
  name: 'currawong_upload_bytes_total',
  help: 'Bytes of upload bodies that were read, also of those that were refused later',
});

/** Measures how long the client of an upload waits once it has sent everything. Call it before anything is read. */
export function timeReceipt(request: IncomingMessage, response: ServerResponse): void {
  const traceId = sampledTraceId();
  let readAtMs: number | undefined;
  request.once('end', () => (readAtMs = performance.now()));
  response.once('finish', () => {
    if (response.statusCode === 200 && readAtMs !== undefined)
      receiptSeconds.observe({}, (performance.now() - readAtMs) / 1_000, traceId);
  });
}
