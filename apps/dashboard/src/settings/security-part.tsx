import type { AuditEntry, AuditLog } from '@currawong/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { get, type Problem } from '../api/client';
import { dateTime } from '../format/time';
import { Button } from '../ui/button';
import { ProblemNotice } from '../ui/notice';
import { Section } from '../ui/page';
import { Loading } from '../ui/skeleton';
import { actionText, actorText } from './audit-texts';

/** What was done on the account, by whom and from where; the newest first. */
export function SecurityPart() {
  const log = useInfiniteQuery<AuditLog, Problem, AuditEntry[], string[], string | null>({
    queryKey: ['audit-log'],
    queryFn: async ({ pageParam, signal }) => {
      const answer = await get<AuditLog>(
        pageParam === null ? '/account/audit-log' : `/account/audit-log?before=${pageParam}`,
        signal,
      );
      if (answer.ok) return answer.value;
      // A problem is what the pages show; nobody needs a stack.
      // eslint-disable-next-line @typescript-eslint/only-throw-error
      throw answer.problem;
    },
    initialPageParam: null,
    getNextPageParam: (last) => last.next_before,
    select: ({ pages }) => pages.flatMap((page) => page.entries),
  });
  return (
    <Section title="What happened on this account">
      <p className="soft measure">
        If there is something here that was not you: change the password, which signs everyone else out, and
        revoke the keys.
      </p>
      <ProblemNotice problem={log.error} onRetry={() => void log.refetch()} />
      {log.isPending && (
        <>
          <Loading what="the log" />
          <div className="log-wait" />
        </>
      )}
      {log.data && <Log entries={log.data} />}
      {log.hasNextPage && (
        <div>
          <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            Load older entries
          </Button>
        </div>
      )}
    </Section>
  );
}

function Log({ entries }: { entries: AuditEntry[] }) {
  return (
    <table className="table table-stack log-table">
      <caption className="visually-hidden">Entries, newest first</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          <th scope="col">By</th>
          <th scope="col">From</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td className="log-when number">{dateTime(entry.at)}</td>
            <td className="log-what">
              {actionText(entry.action)}
              {entry.detail && <span className="soft">: {entry.detail}</span>}
            </td>
            <td>{actorText(entry.actor)}</td>
            <td className="number">{entry.address ?? ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
