import { createServer } from 'node:net';
import { isPortFree, pickPorts } from './ports';

function occupy(): Promise<{ port: number; free(): Promise<void> }> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      const free = () => new Promise<void>((closed) => void server.close(() => closed()));
      resolve({ port: address.port, free });
    });
  });
}

it('every name gets a port of its own, and all are free', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `name-${index}`);
  const ports = Object.values(await pickPorts(names));
  expect(new Set(ports).size).toBe(30);
  expect(await Promise.all(ports.map((port) => isPortFree(port)))).not.toContain(false);
});

it('a remembered port is taken again while it is free, and given up when it is not', async () => {
  const first = await pickPorts(['nats']);
  expect(await pickPorts(['nats'], first)).toEqual(first);
  const other = await occupy();
  const { nats } = await pickPorts(['nats'], { nats: other.port });
  expect(nats).not.toBe(other.port);
  expect(await isPortFree(other.port)).toBe(false);
  await other.free();
  expect(await isPortFree(other.port)).toBe(true);
});
