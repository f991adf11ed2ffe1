import { useState } from 'react';
import { flushSync } from 'react-dom';
import { getBlob, type Problem } from '../api/client';
import { saveAs } from '../api/save-as';
import { Button } from '../ui/button';
import { DownloadIcon } from '../ui/icons';
import { ProblemNotice } from '../ui/notice';
import { Loading, Skeleton } from '../ui/skeleton';
import { MonthChoice } from './month-choice';
import { StatementSheet } from './statement-sheet';
import { useMonth } from './use-month';
import { useStatement } from './use-statement';
import './statement.css';

/** One month, line by line: to look at, to print as an invoice, to hand to a bookkeeper. */
export function StatementPart() {
  const [month, setMonth] = useMonth();
  const query = useStatement(month);
  const { busy, problem, download, print } = useTakingAway(month, query);
  return (
    <>
      <div className="month-bar">
        <MonthChoice month={month} onChange={setMonth} />
        <div className="month-bar-actions">
          <Button busy={busy === 'csv'} onClick={() => void download()}>
            <DownloadIcon /> CSV
          </Button>
          <Button busy={busy === 'print'} onClick={() => void print()}>
            Print or save as PDF
          </Button>
        </div>
      </div>
      <ProblemNotice problem={problem} />
      <ProblemNotice problem={query.error} onRetry={() => void query.refetch()} />
      {query.isPending && (
        <>
          <Loading what="the statement" />
          <div className="statement-wait" aria-hidden="true">
            <Skeleton width={30} />
          </div>
        </>
      )}
      {query.data && (
        <StatementSheet
          statement={query.data.statement}
          lines={query.data.lines}
          more={
            query.hasNextPage && (
              <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                Load further lines
              </Button>
            )
          }
        />
      )}
    </>
  );
}

/** A sheet of paper has no button for further lines, so they are all read before it is printed. */
function useTakingAway(month: string, query: ReturnType<typeof useStatement>) {
  const [busy, setBusy] = useState<'csv' | 'print' | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const download = async () => {
    setBusy('csv');
    const answer = await getBlob(`/statement?month=${month}&format=csv`);
    setBusy(null);
    setProblem(answer.ok ? null : answer.problem);
    if (answer.ok) saveAs(answer.value, `currawong-statement-${month}.csv`);
  };
  const print = async () => {
    setBusy('print');
    let page = query;
    while (page.hasNextPage && !page.isError) page = await page.fetchNextPage();
    // The lines have to be on the page, and the button at rest, when the browser takes its picture.
    flushSync(() => setBusy(null));
    if (!page.isError) window.print();
  };
  return { busy, problem, download, print };
}
