import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from './tcp-proxy';

let server: Server;
let proxy: TcpProxy;
const clients: Socket[] = [];

beforeEach(async () => {
  // Says everything back.
  server = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  proxy = await TcpProxy.before((server.address() as AddressInfo).port);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  await new Promise((closed) => server.close(closed));
});

function client(): { socket: Socket; heard: () => string; ended: Promise<unknown> } {
  const socket = connect(proxy.port, '127.0.0.1');
  clients.push(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  const ended = new Promise((resolve) => socket.on('error', resolve).on('close', resolve));
  return { socket, heard: () => text, ended };
}

async function hears(heard: () => string, text: string): Promise<void> {
  for (let tries = 0; tries < 100 && heard() !== text; tries++) await sleep(20);
  expect(heard()).toBe(text);
}

it('passes everything on in both ways', async () => {
  const { socket, heard } = client();
  const text = 'a recording '.repeat(100_000);
  socket.write(text);
  await hears(heard, text);
});

it('silent: nothing arrives until the way is open again, and then all of it', async () => {
  const early = client();
  early.socket.write('one ');
  await hears(early.heard, 'one ');
  proxy.become({ kind: 'silent' });
  early.socket.write('two');
  const late = client();
  late.socket.write('three');
  await sleep(300);
  expect([early.heard(), late.heard()]).toEqual(['one ', '']);
  proxy.become({ kind: 'open' });
  await hears(early.heard, 'one two');
  await hears(late.heard, 'three');
});

it('cut: whoever is connected loses the connection, and nobody gets a new one', async () => {
  const early = client();
  early.socket.write('one');
  await hears(early.heard, 'one');
  proxy.become({ kind: 'cut' });
  await early.ended;
  await client().ended;
  proxy.become({ kind: 'open' });
  const { socket, heard } = client();
  socket.write('again');
  await hears(heard, 'again');
});

it('slow: every piece takes its time, in order', async () => {
  proxy.become({ kind: 'slow', delayMs: 100 });
  const { socket, heard } = client();
  const began = performance.now();
  socket.write('one ');
  await sleep(30);
  socket.write('two');
  await hears(heard, 'one two');
  expect(performance.now() - began).toBeGreaterThan(200);
});
