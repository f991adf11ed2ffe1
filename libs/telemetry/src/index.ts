export { Startup, type StartupLog } from './startup';
export { startTracing, type Tracing } from './tracing';
export {
  currentTraceHeaders,
  currentTraceIds,
  inSpan,
  runWithTraceHeaders,
  sampledTraceId,
} from './trace-context';
export { createLogger, withLogContext, type Logger } from './logger';
export { NestLogger } from './nest-logger';
export { requestTelemetry } from './request-telemetry';
export { TracedHistogram } from './traced-histogram';
export { CRASH_POINTS, crashPoint, type CrashPoint } from './crash-point';
export {
  startOperationsServer,
  type OperationsServer,
  type OperationsServerOptions,
  type Readiness,
} from './operations-server';
