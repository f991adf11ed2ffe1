import {
  QueryClient,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query';
import { ApiError, get, type Problem } from './client';
import { useMode } from './mode';

interface ApiOptions<T> {
  enabled?: boolean | undefined;
  /** Milliseconds until it is asked again; false: not at all. Rests while the tab is hidden. */
  pollMs?: ((value: T | undefined) => number | false) | undefined;
  /** Shows the page before until the next one is there, so that a list does not blink. */
  keepPrevious?: boolean | undefined;
  /** What will not change any more is kept as it is, without asking again. */
  isFinal?: ((value: T | undefined) => boolean) | undefined;
}

/** What the API answers at a path; asked again when it is stale, shared by everyone who asks. */
export function useApi<T>(path: string, options: ApiOptions<T> = {}): UseQueryResult<T, Problem> {
  const mode = useMode();
  const { pollMs, isFinal } = options;
  const query: UseQueryOptions<T, Problem> = {
    queryKey: [mode, path],
    queryFn: async ({ signal }) => {
      const answer = await get<T>(path, signal);
      if (answer.ok) return answer.value;
      throw new ApiError(answer.problem);
    },
    enabled: options.enabled ?? true,
    ...(pollMs && { refetchInterval: ({ state }) => pollMs(state.data) }),
    ...(isFinal && { staleTime: ({ state }) => (isFinal(state.data) ? Infinity : 0) }),
  };
  // Never across the switch between live and test: these are different worlds.
  const previous = (value: T | undefined, before?: { queryKey: readonly unknown[] }) =>
    before?.queryKey[0] === mode ? value : undefined;
  return useQuery({
    ...query,
    ...(options.keepPrevious && { placeholderData: previous as never }),
  });
}

/** Gives a function that has everything asked again whose path begins with one of these. */
export function useRefresh(): (...paths: string[]) => Promise<void> {
  const client = useQueryClient();
  return (...paths) =>
    client.invalidateQueries({
      predicate: ({ queryKey: [, path] }) =>
        typeof path === 'string' && paths.some((prefix) => path.startsWith(prefix)),
    });
}

const ATTEMPTS = 3;

/** Asks again after a breakdown or, once it may, after a rate limit; a refusal stays a refusal. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < ATTEMPTS && isPassing(error as unknown as Problem),
        retryDelay: (failures, error) => delayMs(failures, error as unknown as Problem),
      },
    },
  });
}

function isPassing({ status }: Problem): boolean {
  return status === 0 || status === 429 || status >= 500;
}

function delayMs(failures: number, { retryAfterSeconds }: Problem): number {
  return retryAfterSeconds === null ? 500 * 2 ** failures : retryAfterSeconds * 1000;
}
