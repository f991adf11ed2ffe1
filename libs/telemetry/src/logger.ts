import { AsyncLocalStorage } from 'node:async_hooks';
import { pino, type DestinationStream, type Logger } from 'pino';
import { currentTraceIds } from './trace-context';

export type { Logger } from 'pino';

/**
 * JSON lines on standard output: time, level, service, msg; trace_id, span_id and whatever `withLogContext` says where
 * there is such a context. The level is LOG_LEVEL, `info` unless set.
 * @param destination where the lines go instead, for tests
 */
export function createLogger(service: string, destination?: DestinationStream): Logger {
  const options = {
    level: process.env['LOG_LEVEL'] ?? 'info',
    base: { service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: contextOfLine,
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Every line that `work` and what it calls write carries these fields; inner contexts add to outer ones. */
export function withLogContext<T>(fields: Record<string, string>, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...fields }, work);
}

function contextOfLine(): Record<string, string> {
  const ids = currentTraceIds();
  return {
    ...(ids === undefined ? {} : { trace_id: ids.traceId, span_id: ids.spanId }),
    ...storage.getStore(),
  };
}

const storage = new AsyncLocalStorage<Record<string, string>>();

const SECRET_FIELDS = [
  'authorization',
  'Authorization',
  'x-api-key',
  'X-API-Key',
  'cookie',
  'set-cookie',
  'api_key',
  'apiKey',
  'password',
  'secret',
  'token',
];

/** A secret is looked for in the line itself and up to two objects deep, as in `{request: {headers: {cookie}}}`. */
const REDACTED_PATHS = SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]);
