import type { IncomingMessage } from 'node:http';
import type { KeyCache } from '../accounts/keys/key-cache';
import type { Sessions, SessionOwner } from '../accounts/sessions/sessions';
import type { RequestLimits } from '../rate-limits/request-limits';
import { CallerGuard, SessionGuard, type RequestCaller } from './caller';
import { Identities } from './identity';

const key = { keyId: 'a key', accountId: 'an account', mode: 'test', accountState: 'active' } as const;
const signedIn: SessionOwner = {
  sessionId: 'a session',
  accountId: 'an account',
  accountState: 'active',
  csrfToken: 'the token',
};

let keys: Pick<KeyCache, 'ownerOf'>;
let session: SessionOwner | undefined;
let failures: number;

beforeEach(() => {
  keys = { ownerOf: (sent) => Promise.resolve(sent === 'right' ? key : undefined) };
  session = undefined;
  failures = 0;
});

interface Sent {
  method: string;
  headers: Record<string, string>;
  caller?: RequestCaller;
  session?: SessionOwner;
}

/** What the guard made of the request, or the refusal it threw. */
async function guarded(
  Guard: typeof CallerGuard | typeof SessionGuard,
  headers: Record<string, string>,
  method = 'GET',
): Promise<Sent> {
  const sessions = { ofRequest: () => Promise.resolve(session) } as unknown as Sessions;
  const limits = { countFailure: () => Promise.resolve(void failures++) } as unknown as RequestLimits;
  const request: Sent = { method, headers };
  const http = { getRequest: () => request, getResponse: () => ({}) };
  await new Guard(new Identities(keys as KeyCache, sessions), limits).canActivate({
    switchToHttp: () => http,
  } as never);
  return request;
}

const refusedWith = (code: string) => ({ refusal: { code } });

describe('a route for callers', () => {
  it('lets a key in as its account and mode, and ignores a cookie beside it', async () => {
    session = { ...signedIn, accountId: 'another account' };
    const { caller } = await guarded(CallerGuard, { 'x-api-key': 'right' }, 'POST');
    expect(caller).toEqual({
      owner: { account_id: 'an account', mode: 'test' },
      keyId: 'a key',
      sessionId: null,
    });
    await expect(guarded(CallerGuard, { 'x-api-key': 'wrong' })).rejects.toMatchObject(
      refusedWith('invalid_api_key'),
    );
  });

  it.each([[{}], [{ 'x-api-key': '' }], [{ 'x-api-key': 'wrong' }]])(
    'refuses %j and counts the failure',
    async (headers) => {
      await expect(guarded(CallerGuard, headers as Record<string, string>)).rejects.toMatchObject(
        refusedWith('invalid_api_key'),
      );
      expect(failures).toBe(1);
    },
  );

  it.each([
    [undefined, 'live'],
    ['test', 'test'],
    ['live', 'live'],
  ])('lets a session in; with X-Currawong-Mode %s it sees %s jobs', async (mode, seen) => {
    session = signedIn;
    const { caller } = await guarded(CallerGuard, mode === undefined ? {} : { 'x-currawong-mode': mode });
    expect(caller).toEqual({
      owner: { account_id: 'an account', mode: seen },
      keyId: null,
      sessionId: 'a session',
    });
  });

  it('refuses the key and the session of an account that is not active', async () => {
    keys = { ownerOf: () => Promise.resolve({ ...key, accountState: 'suspended' }) };
    session = { ...signedIn, accountState: 'closed' };
    for (const headers of [{ 'x-api-key': 'right' }, {}] as Record<string, string>[])
      await expect(guarded(CallerGuard, headers)).rejects.toMatchObject(refusedWith('account_inactive'));
    expect(failures).toBe(0);
  });

  it('a database that cannot say whose key it is makes no 401 and no 500', async () => {
    keys = { ownerOf: () => Promise.reject(new Error('terminating connection')) };
    const refused = guarded(CallerGuard, { 'x-api-key': 'right' });
    await expect(refused).rejects.toMatchObject({ status: 503, cause: expect.any(Error) });
    expect(failures).toBe(0);
  });
});

describe.each([
  ['callers', CallerGuard],
  ['sessions', SessionGuard],
])('a session on a route for %s', (_, Guard) => {
  beforeEach(() => (session = signedIn));

  it.each(['GET', 'HEAD'])('may %s without its token', async (method) => {
    await expect(guarded(Guard, {}, method)).resolves.toMatchObject({ session: signedIn });
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('may %s with its token alone', async (method) => {
    await expect(guarded(Guard, { 'x-csrf-token': 'the token' }, method)).resolves.toBeDefined();
    for (const headers of [{}, { 'x-csrf-token': '' }, { 'x-csrf-token': 'the tokem' }] as Sent['headers'][])
      await expect(guarded(Guard, headers, method)).rejects.toMatchObject(refusedWith('cross_site_request'));
  });
});

describe('a route for sessions', () => {
  it('refuses a valid key, which is no failed authentication', async () => {
    session = signedIn;
    await expect(guarded(SessionGuard, { 'x-api-key': 'right' })).rejects.toMatchObject(
      refusedWith('sign_in_required'),
    );
    expect(failures).toBe(0);
  });

  it('refuses nobody, which is one', async () => {
    await expect(guarded(SessionGuard, {})).rejects.toMatchObject(refusedWith('sign_in_required'));
    expect(failures).toBe(1);
  });
});

it('who it is is asked once a request', async () => {
  let asked = 0;
  keys = { ownerOf: () => Promise.resolve((asked++, key)) };
  const identities = new Identities(keys as KeyCache, {} as Sessions);
  const request = { headers: { 'x-api-key': 'right' } } as unknown as IncomingMessage;
  await Promise.all([identities.of(request), identities.of(request)]);
  expect(await identities.of(request)).toEqual({ kind: 'key', key });
  expect(asked).toBe(1);
});

describe('a key as a bearer’s token', () => {
  const identityAt = (path: string, headers: Record<string, string>) =>
    new Identities(
      keys as KeyCache,
      { ofRequest: () => Promise.resolve(undefined) } as unknown as Sessions,
    ).of({
      ...{ path, headers },
    } as unknown as IncomingMessage);

  it.each(['Bearer right', 'bearer  right '])(
    'is taken as "%s" where programs for OpenAI’s API send it',
    async (sent) => {
      expect(await identityAt('/v1/audio/transcriptions', { authorization: sent })).toEqual({
        kind: 'key',
        key,
      });
      expect(await identityAt('/api/v1/models', { authorization: sent })).toEqual({ kind: 'key', key });
    },
  );

  it('means nothing elsewhere, as before', async () => {
    expect(await identityAt('/v1/transcribe', { authorization: 'Bearer right' })).toEqual({ kind: 'nobody' });
  });

  it.each([
    [{ authorization: 'Bearer wrong' }, { kind: 'nobody', sentKey: true }],
    [{ authorization: 'Basic right' }, { kind: 'nobody' }],
    [{ authorization: 'Bearer' }, { kind: 'nobody' }],
    [
      { authorization: 'Bearer right', 'x-api-key': 'wrong' },
      { kind: 'nobody', sentKey: true },
    ],
  ])('with %j it is %j', async (headers, identity) => {
    expect(await identityAt('/v1/models', headers as Record<string, string>)).toEqual(identity);
  });
});
