import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Person } from './person';

export interface Claims {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

/** An OpenID provider on this machine; it answers nobody before `serve`. */
export interface IdentityProvider {
  issuer: string;
  /** From now on it knows this client; null: it is away again. */
  serve(client: { client_id: string; client_secret: string; redirect_uris: string[] } | null): Promise<void>;
  /** Who sits at the browser from now on. */
  seat(person: Claims): Promise<void>;
  /** The next sign-in is refused by the provider. */
  refuse(): Promise<void>;
  stop(): Promise<void>;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const program = join(__dirname, 'identity-provider-process.mjs');
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const issuer = line.toString().trim();
  const control = async (wish: unknown) => {
    await fetch(`${issuer}/control`, { method: 'POST', body: JSON.stringify(wish) });
  };
  return {
    issuer,
    serve: (client) => control({ client }),
    seat: (person) => control({ person }),
    refuse: () => control({ refuses: true }),
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/**
 * Follows the way from our first redirect through the provider, as the person's browser does.
 * @returns our own address that the provider sends the browser back to
 */
export async function throughProvider(location: string): Promise<string> {
  const cookies = new Map<string, string>();
  const origin = new URL(location).origin;
  let next = location;
  for (let step = 0; step < 10; step++) {
    const response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    await response.body?.cancel();
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const to = response.headers.get('location');
    if (to === null) throw new Error(`${next} answered ${response.status} and leads nowhere`);
    next = new URL(to, next).href;
    if (new URL(next).origin !== origin) return next;
  }
  throw new Error('The provider leads in circles.');
}

/** The whole way in, as the person's browser goes it. @returns where it ends, such as `/dashboard/` */
export async function signInThroughProvider(person: Person): Promise<string> {
  const started = await person.get('/api/v1/oidc/start');
  const location = started.headers.get('location');
  if (started.status !== 302 || location === null) throw new Error(`oidc/start answered ${started.status}`);
  if (!location.startsWith('http')) return location;
  const back = new URL(await throughProvider(location));
  const ended = await person.get(back.pathname + back.search);
  return ended.headers.get('location') ?? `status ${ended.status}`;
}
