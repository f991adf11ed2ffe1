import { lazy, Suspense } from 'react';
import { Redirect, Route, Router, Switch, useLocation, useSearch } from 'wouter';
import { useSession } from './session/session';
import { NotFoundPage } from './shell/not-found-page';
import { PageError } from './shell/page-error';
import { PageWait } from './shell/page-wait';
import { Shell } from './shell/shell';
import { destination, signInPath } from './session/next';
import { Announcer } from './ui/announcer';
import { ProblemNotice } from './ui/notice';
import { UploadProvider } from './upload/upload-provider';

const SignInPage = lazy(() => import('./sign-in/sign-in-page'));
const SignUpPage = lazy(() => import('./sign-in/sign-up-page'));
const ForgotPasswordPage = lazy(() => import('./sign-in/forgot-password-page'));
const ResetPasswordPage = lazy(() => import('./sign-in/reset-password-page'));
const ConfirmEmailPage = lazy(() => import('./sign-in/confirm-email-page'));
const OverviewPage = lazy(() => import('./overview/overview-page'));
const JobsPage = lazy(() => import('./jobs/jobs-page'));
const DeletionsPage = lazy(() => import('./deletions/deletions-page'));
const ReceiptPage = lazy(() => import('./deletions/receipt-page'));
const TranscriptPage = lazy(() => import('./transcript/transcript-page'));
const BillingPage = lazy(() => import('./billing/billing-page'));
const DeliveriesPage = lazy(() => import('./webhooks/deliveries-page'));
const DeliveryPage = lazy(() => import('./webhooks/delivery-page'));
const SettingsPage = lazy(() => import('./settings/settings-page'));

/** Every address of the dashboard. Pages are fetched when they are first opened. */
export function App() {
  return (
    <Router base="/dashboard">
      <Switch>
        <Route path="/sign-in">
          {() => (
            <Outside>
              <SignInPage />
            </Outside>
          )}
        </Route>
        <Route path="/sign-up">
          {() => (
            <Outside>
              <SignUpPage />
            </Outside>
          )}
        </Route>
        <Route path="/forgot-password">
          {() => (
            <Open>
              <ForgotPasswordPage />
            </Open>
          )}
        </Route>
        <Route path="/reset-password">
          {() => (
            <Open>
              <ResetPasswordPage />
            </Open>
          )}
        </Route>
        <Route path="/confirm-email">
          {() => (
            <Open>
              <ConfirmEmailPage />
            </Open>
          )}
        </Route>
        <Route>{() => <Inside />}</Route>
      </Switch>
      <Announcer />
    </Router>
  );
}

/** For those who are signed in; others are led to the sign-in page, and back here afterwards. */
function Inside() {
  const { session } = useSession();
  const [path] = useLocation();
  const search = useSearch();
  if (session.state === 'out') return <Redirect to={signInPath(path, search)} replace />;
  const pages = (
    <Shell account={session.state === 'in' ? session.account : null}>
      {session.state === 'unknown' && (
        <div className="page">
          <ProblemNotice problem={session.problem} onRetry={session.retry} />
        </div>
      )}
      {session.state === 'asking' && <PageWait />}
      {session.state === 'in' && (
        <PageError key={path}>
          <Suspense fallback={<PageWait />}>
            <Switch>
              <Route path="/">
                <OverviewPage />
              </Route>
              <Route path="/jobs">
                <JobsPage />
              </Route>
              <Route path="/jobs/deletions">
                <DeletionsPage />
              </Route>
              <Route path="/jobs/:id/deletion">{({ id }) => <ReceiptPage key={id} id={id} />}</Route>
              <Route path="/jobs/:id">{({ id }) => <TranscriptPage key={id} id={id} />}</Route>
              <Route path="/billing/*?">
                <BillingPage />
              </Route>
              <Route path="/settings/webhooks/deliveries">
                <DeliveriesPage />
              </Route>
              <Route path="/settings/webhooks/deliveries/:id">
                {({ id }) => <DeliveryPage key={id} id={id} />}
              </Route>
              <Route path="/settings/*?">
                <SettingsPage />
              </Route>
              <Route>
                <NotFoundPage />
              </Route>
            </Switch>
          </Suspense>
        </PageError>
      )}
    </Shell>
  );
  return session.state === 'in' ? <UploadProvider key={session.account.id}>{pages}</UploadProvider> : pages;
}

/** For those who are not signed in; others are led on. */
function Outside({ children }: { children: React.ReactNode }) {
  const { session } = useSession();
  const search = useSearch();
  if (session.state === 'in') return <Redirect to={destination(search)} replace />;
  return <Open>{children}</Open>;
}

function Open({ children }: { children: React.ReactNode }) {
  return (
    <PageError>
      <Suspense fallback={null}>{children}</Suspense>
    </PageError>
  );
}
