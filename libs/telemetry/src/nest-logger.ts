import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger';

/** What Nest tells at start, module by module and route by route, is for whoever debugs it. */
const NEST_AT_START = new Set([
  ...['NestFactory', 'NestApplication', 'NestMicroservice'],
  ...['InstanceLoader', 'RoutesResolver', 'RouterExplorer'],
]);

/** Nest's own lines, and those of our classes, in our format: `app.useLogger(new NestLogger(logger))`. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(NEST_AT_START.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest passes the context's name last and, for errors, a stack before it. */
  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = typeof rest.at(-1) === 'string' ? { context: rest.at(-1) } : {};
    if (message instanceof Error) return this.logger[level]({ ...context, err: message }, message.message);
    const stack = rest.length > 1 && typeof rest[0] === 'string' ? { stack: rest[0] } : {};
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    this.logger[level]({ ...context, ...stack }, text);
  }
}
