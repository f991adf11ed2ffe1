import type { DeletionList, DeletionReceipt } from '@currawong/contracts';
import { Link, useSearch } from 'wouter';
import { useApi } from '../api/use-api';
import { dateTime } from '../format/time';
import { pageOf } from '../jobs/list';
import { Empty } from '../ui/empty';
import { BackIcon } from '../ui/icons';
import { ProblemNotice } from '../ui/notice';
import { Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { Loading } from '../ui/skeleton';
import { totalText, whatText } from './receipt-texts';
import './deletions.css';

const PAGE_SIZE = 20;
const POLL_MS = 2_000;

/** Receipts of everything that was cancelled or deleted, newest first. */
export default function DeletionsPage() {
  const page = pageOf(useSearch());
  const { data, error, isPending, refetch } = useApi<DeletionList>(
    `/deletions?page=${page}&page_size=${PAGE_SIZE}`,
    {
      pollMs: (list) => (list?.deletions.some(({ erased_at }) => erased_at === null) ? POLL_MS : false),
      keepPrevious: true,
    },
  );
  return (
    <Page
      title="Deletions"
      lead="A receipt for every job that was cancelled or deleted."
      actions={
        <Link href="/jobs" className="back-link">
          <BackIcon /> All jobs
        </Link>
      }
    >
      <ProblemNotice problem={data ? null : error} onRetry={() => void refetch()} />
      {isPending && (
        <>
          <Loading what="the deletions" />
          <div className="receipt-wait" />
        </>
      )}
      {data?.deletions.length === 0 && (
        <Empty title={page > 1 ? 'This page is past the end.' : 'Nothing has been deleted.'}>
          <p>
            When a job is cancelled or deleted, by you or by its age, the receipt of it stands here. For how
            long things are kept is <Link href="/settings/account">a setting</Link>.
          </p>
        </Empty>
      )}
      {data && data.deletions.length > 0 && <DeletionTable deletions={data.deletions} />}
      {data && (
        <Pager
          page={data.page}
          totalPages={data.total_pages}
          href={(to) => (to > 1 ? `/jobs/deletions?page=${to}` : '/jobs/deletions')}
        />
      )}
    </Page>
  );
}

function DeletionTable({ deletions }: { deletions: DeletionReceipt[] }) {
  return (
    <table className="table table-stack deletion-table">
      <caption className="visually-hidden">Deletions, newest first</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Receipt for the job</th>
          <th scope="col">What was done</th>
          <th scope="col" className="right">
            Erased
          </th>
        </tr>
      </thead>
      <tbody>
        {deletions.map((deletion) => (
          <tr key={deletion.job_id}>
            <td className="deletion-when number">
              <time dateTime={deletion.requested_at}>{dateTime(deletion.requested_at)}</time>
            </td>
            <td className="deletion-job">
              <Link href={`/jobs/${deletion.job_id}/deletion`}>
                <code>{deletion.job_id}</code>
              </Link>
            </td>
            <td className="deletion-why">{whatText(deletion)}</td>
            <td className="deletion-erased right number">
              {deletion.erased_at === null ? 'Being erased …' : totalText(deletion.objects)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
