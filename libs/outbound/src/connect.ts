import { isIP, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { Guard } from './guard';

/**
 * A connection to one of the addresses that were judged, and to nothing else: the name is looked up once, here, so that
 * it cannot have another answer between the judgement and the connection. The certificate is that of the name.
 */
export function guardedConnector(guard: Guard, url: URL, timeoutMs: number): buildConnector.connector {
  return (options, callback) => {
    guard.addressesOf(url).then(
      (addresses) => {
        const connect = buildConnector({
          timeout: timeoutMs,
          allowH2: false,
          maxCachedSessions: 0,
          autoSelectFamily: true,
          // Asked by the connection for the name; it tries these in turn.
          lookup: (_name, { all }, answer) => {
            const found = addresses.map((address) => ({ address, family: isIP(address) }));
            if (all) answer(null, found);
            else answer(null, found[0]!.address, found[0]!.family);
          },
        });
        connect(options, (error, socket) => {
          if (error) return callback(error, null);
          const refusal = refusalOf(guard, url, socket);
          if (!refusal) return callback(null, socket);
          socket.destroy();
          callback(refusal, null);
        });
      },
      (error: Error) => callback(error, null),
    );
  };
}

/** The peer that the system says it is connected to is judged once more: it is the one that counts. */
function refusalOf(guard: Guard, url: URL, socket: Socket): Error | undefined {
  try {
    guard.admit(url, socket.remoteAddress ?? '');
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
