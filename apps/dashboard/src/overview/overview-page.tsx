import type { CreditBody, UsageBreakdown } from '@currawong/contracts';
import { Link } from 'wouter';
import { useMode } from '../api/mode';
import { useApi } from '../api/use-api';
import { calendarMonth, inWords } from '../format/time';
import { FirstJob } from '../jobs/first-job';
import { JobTable } from '../jobs/job-table';
import { useJobs } from '../jobs/use-jobs';
import { Button } from '../ui/button';
import { UploadIcon } from '../ui/icons';
import { ProblemNotice } from '../ui/notice';
import { Page, Section } from '../ui/page';
import { Loading, Skeleton } from '../ui/skeleton';
import { useUpload } from '../upload/upload-provider';
import { Figures } from './figures';
import { monthTotal } from './month';
import { UsageChart } from './usage-chart';
import './overview-page.css';

const LATEST = 6;

export default function OverviewPage() {
  const testing = useMode() === 'test';
  const { choose } = useUpload();
  const credit = useApi<CreditBody>('/credit');
  const usage = useApi<UsageBreakdown>('/usage/breakdown');
  const jobs = useJobs({ page: 1, pageSize: LATEST, status: null });
  const total = usage.data && monthTotal(usage.data.days);
  return (
    <Page
      title="Overview"
      lead="Drop recordings anywhere on a page to have them transcribed."
      actions={
        <Button kind="main" onClick={choose}>
          <UploadIcon /> Choose recordings
        </Button>
      }
    >
      {!testing && (
        <>
          <ProblemNotice problem={credit.data ? null : credit.error} onRetry={() => void credit.refetch()} />
          <Figures credit={credit.data} monthSeconds={total?.seconds} />
        </>
      )}
      <Section title="Latest jobs" aside={<Link href="/jobs">All jobs</Link>}>
        <ProblemNotice problem={jobs.data ? null : jobs.error} onRetry={() => void jobs.refetch()} />
        {jobs.isPending && <Loading what="the jobs" />}
        {jobs.data?.total === 0 ? (
          <FirstJob testing={testing} />
        ) : (
          (jobs.data ?? jobs.isPending) && (
            <JobTable jobs={jobs.data?.jobs} rows={LATEST} caption="Latest jobs" />
          )
        )}
      </Section>
      {!testing && (
        <Section
          title={usage.data ? calendarMonth(usage.data.month) : <Skeleton width={12} />}
          aside={
            <span className="soft number">
              {total &&
                (total.jobs === 0
                  ? 'No jobs yet'
                  : `${inWords(total.seconds)} in ${total.jobs === 1 ? '1 job' : `${total.jobs} jobs`}`)}
            </span>
          }
        >
          <ProblemNotice problem={usage.data ? null : usage.error} onRetry={() => void usage.refetch()} />
          {usage.data ? <UsageChart usage={usage.data} /> : <div className="usage-wait" />}
        </Section>
      )}
    </Page>
  );
}
