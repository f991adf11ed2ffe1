import type { Statement } from '@currawong/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { get, type Problem } from '../api/client';
import { useMode } from '../api/mode';

/** A month's statement with the lines that have been read so far; further ones by `fetchNextPage`. */
export function useStatement(month: string) {
  const path = `/statement?month=${month}`;
  return useInfiniteQuery<
    Statement,
    Problem,
    { statement: Statement; lines: Statement['lines'] },
    string[],
    string | null
  >({
    queryKey: [useMode(), path],
    queryFn: async ({ pageParam, signal }) => {
      const answer = await get<Statement>(pageParam === null ? path : `${path}&after=${pageParam}`, signal);
      if (answer.ok) return answer.value;
      // A problem is what the pages show; nobody needs a stack.
      // eslint-disable-next-line @typescript-eslint/only-throw-error
      throw answer.problem;
    },
    initialPageParam: null,
    getNextPageParam: (last) => last.next_after,
    // The newest page knows the newest totals.
    select: ({ pages }) => ({ statement: pages.at(-1)!, lines: pages.flatMap((page) => page.lines) }),
  });
}
