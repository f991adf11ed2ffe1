import { ERRORS, type ErrorCode } from '@currawong/contracts';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long a client that sent what cannot be parsed may take to read what is said to it. */
const LINGER_MS = 2_000;

const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** What node refuses before there is a request gets `{"detail"}` as well, and the connection is closed after it. */
export function answerParserErrors(server: Server): void {
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
    socket.end(rawAnswer(codes[error.code ?? ''] ?? 'malformed_request'));
    // Destroyed at once, with bytes unread, the connection would be reset and the answer lost.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const { status, headers, body } = answerOf('expectation_unsupported');
    response.writeHead(status, headers).end(body);
  });
}

function answerOf(code: ErrorCode) {
  const { status, text } = ERRORS[code];
  const body = JSON.stringify({ detail: text });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  return { status, headers, body };
}

function rawAnswer(code: ErrorCode): string {
  const { status, headers, body } = answerOf(code);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

/** Node keeps the answer in progress on its socket; a second one in the middle of it would be read as part of it. */
function hasBegunToAnswer(socket: Duplex): boolean {
  return (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent ?? false;
}
