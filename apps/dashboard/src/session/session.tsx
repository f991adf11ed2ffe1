import type { AccountBody, SessionBody } from '@currawong/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, type ReactNode } from 'react';
import { ApiError, get, rememberSession, send, whenSignedOut, type Problem } from '../api/client';

type State =
  | { state: 'asking' }
  | { state: 'out' }
  | { state: 'unknown'; problem: Problem; retry: () => void }
  | { state: 'in'; account: AccountBody };

interface Session {
  session: State;
  /** After signing in or up. */
  enter: (session: SessionBody) => void;
  /** After a change to the account: what it looks like now. */
  accountChanged: (account: AccountBody) => void;
  /** @returns what went wrong, while one is still signed in; null once one is not */
  signOut: () => Promise<Problem | null>;
  /** Asks who is signed in again, for example once the email address is confirmed. */
  refresh: () => Promise<void>;
}

const Context = createContext<Session | null>(null);
const KEY = ['session'];

export function SessionProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const query = useQuery<SessionBody | null, Problem>({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const answer = await get<SessionBody>('/session', signal);
      if (!answer.ok && answer.problem.status !== 401) throw new ApiError(answer.problem);
      const session = answer.ok ? answer.value : null;
      rememberSession(session);
      return session;
    },
    staleTime: 60_000,
  });
  useEffect(
    () =>
      whenSignedOut(() => {
        rememberSession(null);
        client.setQueryData(KEY, null);
      }),
    [client],
  );
  const value = useMemo<Session>(() => {
    const become = (session: SessionBody | null) => {
      rememberSession(session);
      client.setQueryData(KEY, session);
    };
    return {
      session: stateOf(query.data, query.error, () => void query.refetch()),
      enter(session) {
        // Nothing that an earlier account has seen may be shown to this one.
        client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
        become(session);
      },
      accountChanged(account) {
        client.setQueryData<SessionBody | null>(KEY, (session) => session && { ...session, account });
      },
      async signOut() {
        const answer = await send('DELETE', '/session');
        // A session that goes on must not look as if it had ended: somebody else may sit here next.
        if (!answer.ok && answer.problem.status !== 401) return answer.problem;
        become(null);
        client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
        return null;
      },
      refresh: () => client.invalidateQueries({ queryKey: KEY }),
    };
    // The query object is new at every render; these are what matters of it.
  }, [client, query.data, query.error]);
  return <Context value={value}>{children}</Context>;
}

function stateOf(data: SessionBody | null | undefined, error: Problem | null, retry: () => void): State {
  if (data) return { state: 'in', account: data.account };
  if (data === null) return { state: 'out' };
  return error ? { state: 'unknown', problem: error, retry } : { state: 'asking' };
}

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error('useSession is used outside of SessionProvider.');
  return session;
}

/** The account that is signed in; only for pages behind the shell. */
export function useAccount(): AccountBody {
  const { session } = useSession();
  if (session.state !== 'in') throw new Error('useAccount is used on a page that is open to everyone.');
  return session.account;
}
