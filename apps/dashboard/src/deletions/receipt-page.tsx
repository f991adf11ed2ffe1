import type { DeletionReceipt } from '@currawong/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { getBlob, type Problem } from '../api/client';
import { saveAs } from '../api/save-as';
import { useApi } from '../api/use-api';
import { exactTime } from '../format/time';
import { Button, ButtonLink } from '../ui/button';
import { Empty } from '../ui/empty';
import { BackIcon, DownloadIcon } from '../ui/icons';
import { ProblemNotice } from '../ui/notice';
import { Page } from '../ui/page';
import { Loading } from '../ui/skeleton';
import { byText, erasedTexts, whatText } from './receipt-texts';
import './deletions.css';

const POLL_MS = 2_000;

/** What was erased of a job, at whose request and when: to keep, to print, to show to an auditor. */
export default function ReceiptPage({ id }: { id: string }) {
  const path = `/jobs/${id}/deletion`;
  const { data, error, isPending, refetch } = useApi<DeletionReceipt>(path, {
    pollMs: (receipt) => (receipt?.erased_at === null ? POLL_MS : false),
  });
  const { busy, problem, download } = useDownload(path, `deletion-${id}.json`);
  if (!data && error?.status === 404) return <NoSuchReceipt />;
  return (
    <Page
      title="Deletion receipt"
      actions={
        <>
          <Link href="/jobs/deletions" className="back-link">
            <BackIcon /> All deletions
          </Link>
          <Button disabled={!data} busy={busy} onClick={() => void download()}>
            <DownloadIcon /> JSON
          </Button>
          <Button disabled={!data} onClick={() => window.print()}>
            Print
          </Button>
        </>
      }
    >
      <ProblemNotice problem={problem} />
      <ProblemNotice problem={data ? null : error} onRetry={() => void refetch()} />
      {isPending && <Loading what="the receipt" />}
      {data ? <Receipt receipt={data} /> : <div className="receipt-wait" />}
    </Page>
  );
}

function useDownload(path: string, name: string) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const download = async () => {
    setBusy(true);
    const answer = await getBlob(path);
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    if (answer.ok) saveAs(answer.value, name);
  };
  return { busy, problem, download };
}

function Receipt({ receipt }: { receipt: DeletionReceipt }) {
  const { job_id, requested_at, cancelled_at, erased_at, objects } = receipt;
  const facts: [name: string, value: React.ReactNode][] = [
    ['Job', <code key="job">{job_id}</code>],
    ['What was done', whatText(receipt)],
    ['Asked for by', byText(receipt)],
    ['Asked for at', exactTime(requested_at)],
    ...(cancelled_at === null ? [] : [['Stopped at', exactTime(cancelled_at)] as [string, string]]),
    ['Erased', objects.length === 0 ? 'Nothing was stored' : <Objects key="objects" objects={objects} />],
    [
      'Confirmed at',
      <span key="confirmed" role="status">
        {erased_at === null ? 'The store is still erasing …' : exactTime(erased_at)}
      </span>,
    ],
  ];
  return (
    <div className="receipt">
      <dl className="receipt-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="soft">
        {erased_at !== null && 'After erasing, the store was asked again and had nothing left. '}
        This receipt is kept, and so are the charges on the <Link href="/billing/statement">statement</Link>;
        neither holds a file name or anything that was said.
      </p>
    </div>
  );
}

function Objects({ objects }: Pick<DeletionReceipt, 'objects'>) {
  return (
    <ul role="list">
      {erasedTexts(objects).map((text) => (
        <li key={text} className="number">
          {text}
        </li>
      ))}
    </ul>
  );
}

function NoSuchReceipt() {
  return (
    <Page title="No such receipt">
      <Empty title="Nothing of this job was deleted">
        <p>Or it belongs to another account, or to the other mode: live jobs and test jobs are kept apart.</p>
        <ButtonLink href="/jobs/deletions">All deletions</ButtonLink>
      </Empty>
    </Page>
  );
}
