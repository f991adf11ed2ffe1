import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveQuestions } from './serve-questions';

/** node:http that answers every request with the same bytes. */
serveQuestions(async ({ body }: { body: string }) => {
  const bytes = Buffer.from(body);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length };
  const server = createServer((_, answer) => answer.writeHead(200, headers).end(bytes));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
