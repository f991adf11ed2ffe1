import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Server } from 'node:http';
import { discardUnwantedBody } from './discard-rest';
import { ErrorFilter } from './error.filter';
import { answerParserErrors } from './parser-errors';

/** A 500 MB upload over a slow line takes hours; slow-loris is held off by the least rate of an upload instead. */
const NO_LIMIT = 0;
const HEADERS_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** What holds for every route: how errors look, what becomes of bodies that nobody reads, and how long things may take. */
export function configureEdge(app: NestExpressApplication): void {
  app.useGlobalFilters(new ErrorFilter());
  app.set('etag', false);
  app.use(discardUnwantedBody);
  const server: Server = app.getHttpServer();
  answerParserErrors(server);
  server.requestTimeout = NO_LIMIT;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
}
