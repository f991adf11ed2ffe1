import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveQuestions } from './serve-questions';

/** The least that an upload can be: the bytes of the request go into one presigned PUT to the store as they come. */
const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, answer) => {
  const put = request(
    String(incoming.headers['x-put-to']),
    { method: 'PUT', agent, headers: { 'content-length': incoming.headers['content-length'] } },
    (stored) => {
      stored.resume();
      stored.once('end', () => answer.writeHead(stored.statusCode === 200 ? 200 : 502).end());
    },
  );
  put.once('error', (error) => answer.writeHead(502).end(error.message));
  incoming.pipe(put);
});

serveQuestions(async () => {
  if (!server.listening) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
