import { createServer, type Server } from 'node:net';

/**
 * Free TCP ports of 127.0.0.1, one per name. A remembered port is taken again while it is free, so that
 * addresses stay the same from one start to the next. All are held until all are chosen: no port is given twice.
 */
export async function pickPorts<Name extends string>(
  names: readonly Name[],
  remembered: Readonly<Record<string, number>> = {},
): Promise<Record<Name, number>> {
  const held: Server[] = [];
  const chosen: Partial<Record<Name, number>> = {};
  try {
    for (const name of names) {
      const before = remembered[name];
      const server = (before !== undefined && (await listen(before))) || (await listen(0));
      if (!server) throw new Error('The operating system has no free TCP port on 127.0.0.1.');
      held.push(server);
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('A TCP server without a port.');
      chosen[name] = address.port;
    }
  } finally {
    await Promise.all(held.map((server) => new Promise((closed) => server.close(closed))));
  }
  return chosen as Record<Name, number>;
}

export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = await listen(port, host);
  if (!server) return false;
  await new Promise((closed) => server.close(closed));
  return true;
}

function listen(port: number, host = '127.0.0.1'): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}
