import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import type { Server, ServerResponse } from 'node:http';
import { discardUnwantedBody } from './discard-rest';
import { ErrorFilter } from './error.filter';
import { answerParserErrors } from './parser-errors';
import { securityHeaders } from './security-headers';

/** A 500 MB upload over a slow line takes hours; slow-loris is held off by the least rate of an upload instead. */
const NO_LIMIT = 0;
const HEADERS_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Who may ask how often, and the headers that every answer carries because of it. */
export interface EdgeLimits {
  /** Comes before the routes; it also answers `Expect: 100-continue`, for whomever it lets pass. */
  middleware: (request: Request, response: ServerResponse, next: (error?: unknown) => void) => void;
  headersFor: (address: string) => Record<string, string>;
}

/** What is in front of the gateway. */
export interface EdgeSurroundings {
  trustedProxyHops?: number;
  /** The address that clients use. */
  publicUrl?: string;
}

/**
 * What holds for every route: how errors look, how often one may ask, what becomes of bodies that nobody reads, and how
 * long things may take.
 */
export function configureEdge(
  app: NestExpressApplication,
  limits: EdgeLimits,
  { trustedProxyHops = 0, publicUrl = '' }: EdgeSurroundings = {},
): void {
  const security = securityHeaders(publicUrl);
  app.useGlobalFilters(new ErrorFilter());
  app.set('etag', false);
  app.set('trust proxy', trustedProxyHops);
  app.use(keepFromCaches);
  app.use((_request: Request, response: ServerResponse, next: () => void) => {
    response.setHeaders(new Map(Object.entries(security)));
    next();
  });
  app.use(discardUnwantedBody);
  app.use(limits.middleware);
  const server: Server = app.getHttpServer();
  answerParserErrors(server, (address) => ({ ...security, ...limits.headersFor(address) }));
  // Without a listener node would invite every body in, those of refused requests as well.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.requestTimeout = NO_LIMIT;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
}

/** Answers are somebody's own. What may be kept, such as the files of a page, says so itself. */
function keepFromCaches(_request: Request, response: ServerResponse, next: () => void): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}
