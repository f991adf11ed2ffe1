import { ERRORS, type ErrorCode } from '@currawong/contracts';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { plainAddress } from './client-address';

/** How long a client that sent what cannot be parsed may take to read what is said to it. */
const LINGER_MS = 2_000;

const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** What node refuses before there is a request gets `{"detail"}` as well, and the connection is closed after it. */
export function answerParserErrors(
  server: Server,
  headersFor: (address: string) => Record<string, string>,
): void {
  const answered = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // What follows something unreadable is not readable either.
    if (answered.has(socket)) return;
    answered.add(socket);
    socket.on('error', () => socket.destroy());
    if (!socket.writable || error.code === 'ECONNRESET' || hasBegunToAnswer(socket)) {
      socket.destroy();
      return;
    }
    socket.end(rawAnswer(codes[error.code ?? ''] ?? 'malformed_request', headersFor(socketAddress(socket))));
    // Destroyed at once, with bytes unread, the connection would be reset and the answer lost.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  server.on('checkExpectation', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = answerOf('expectation_unsupported', headersFor(socketAddress(socket)));
    response.writeHead(status, headers).end(body);
  });
}

function answerOf(code: ErrorCode, more: Record<string, string>) {
  const { status, text } = ERRORS[code];
  const body = JSON.stringify({ detail: text });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...more,
  };
  return { status, headers, body };
}

function rawAnswer(code: ErrorCode, more: Record<string, string>): string {
  const { status, headers, body } = answerOf(code, more);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

/** Of the connection itself: what is forwarded was not understood. */
function socketAddress(socket: Duplex): string {
  return plainAddress((socket as Socket).remoteAddress) ?? 'unknown';
}

/** Node keeps the answer in progress on its socket; a second one in the middle of it would be read as part of it. */
function hasBegunToAnswer(socket: Duplex): boolean {
  return (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent ?? false;
}
