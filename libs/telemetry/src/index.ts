export { startTracing, type Tracing } from './tracing';
export { currentTraceHeaders, currentTraceIds, inSpan, runWithTraceHeaders } from './trace-context';
export { createLogger, withLogContext, type Logger } from './logger';
export { NestLogger } from './nest-logger';
export { requestTelemetry } from './request-telemetry';
export {
  startOperationsServer,
  type OperationsServer,
  type OperationsServerOptions,
  type Readiness,
} from './operations-server';
