import { Resolver, lookup as systemLookup } from 'node:dns/promises';

/** All addresses of a name. @throws UnknownName where the name has none, and anything else where no answer came */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** The answer is that there is no such name. */
export class UnknownName extends Error {
  override readonly name = 'UnknownName';
}

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Asks the name servers without the system's own resolver: that one works in a few threads that the whole process
 * shares, and a name whose servers never answer would keep them from everybody else.
 * @param withSystem names that only the system knows (its hosts file, the search list of a cluster) are found as well
 */
export function nameServers({ withSystem }: { withSystem: boolean }): Lookup {
  return async (name) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    if (withSystem) return askSystem(name);
    const failure = [v4, v6].map(reasonOf).find((reason) => !isUnknown(reason));
    if (failure !== undefined) throw new Error('the name servers did not answer', { cause: failure });
    throw new UnknownName(name);
  };
}

async function askSystem(name: string): Promise<string[]> {
  try {
    return (await systemLookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw isUnknown(error) ? new UnknownName(name) : error;
  }
}

function reasonOf(answer: PromiseSettledResult<unknown>): unknown {
  return answer.status === 'rejected' ? answer.reason : undefined;
}

function isUnknown(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return error === undefined || code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME';
}
