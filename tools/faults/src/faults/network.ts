import { setTimeout as sleep } from 'node:timers/promises';
import { SERVERS, SERVICES } from '../arena/arena';
import type { Passage } from '../arena/tcp-proxy';
import type { FaultKind } from './fault';

/** The way between one service and one server is cut, swallows everything, or is slow. */
export const partition: FaultKind = {
  name: 'network',
  plan(random) {
    const service = random.oneOf(SERVICES);
    const reached = SERVERS.filter(
      (server) =>
        !(server === 'postgres' && service.startsWith('worker')) &&
        !(server === 's3' && (service === 'billing' || service.startsWith('webhooks'))),
    );
    const server = random.oneOf(reached);
    const passage = random.oneOf<Passage>([
      { kind: 'cut' },
      { kind: 'silent' },
      { kind: 'slow', delayMs: 150 },
    ]);
    const share = random.between(0.3, 1);
    return {
      what: `between ${service} and ${server}: ${passage.kind}`,
      touches: [service],
      async happen({ arena, outageSeconds }) {
        arena.proxy(service, server).become(passage);
        await sleep(share * outageSeconds * 1000);
        arena.proxy(service, server).become({ kind: 'open' });
      },
    };
  },
};
