import type { AccountBody } from '@currawong/contracts';
import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { mode, useMode } from '../api/mode';
import { Mark } from '../ui/mark';
import { AccountMenu } from './account-menu';
import { ConfirmEmailBanner } from './confirm-email-banner';
import './shell.css';

/** What stands around every page of those who are signed in. `account` is null while it is being asked for. */
export function Shell({ account, children }: { account: AccountBody | null; children: ReactNode }) {
  const testing = useMode() === 'test';
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <header className="masthead">
        <div className="masthead-row">
          <Link href="/" className="masthead-brand" aria-label="Currawong: overview">
            <Mark size={34} />
            <span>Currawong</span>
          </Link>
          <nav className="masthead-nav" aria-label="Main">
            <Place href="/" pattern="/">
              Overview
            </Place>
            <Place href="/jobs" pattern="/jobs/*?">
              Jobs
            </Place>
            <Place href="/billing" pattern="/billing/*?">
              Billing
            </Place>
            <Place href="/settings" pattern="/settings/*?">
              Settings
            </Place>
          </nav>
          <div className="masthead-end">
            <button
              type="button"
              role="switch"
              aria-checked={testing}
              className="mode-switch"
              onClick={() => mode.set(testing ? 'live' : 'test')}
            >
              <span className="mode-eye" aria-hidden="true" />
              Test mode
            </button>
            <AccountMenu account={account} />
          </div>
        </div>
      </header>
      {testing && (
        <aside className="mode-band" aria-label="Test mode">
          <strong>Test mode.</strong> Free of charge: the first minute of each recording, apart from your live
          jobs.
        </aside>
      )}
      {account && !account.email_confirmed && <ConfirmEmailBanner email={account.email} />}
      <main id="main" tabIndex={-1} className="main">
        {children}
      </main>
    </>
  );
}

function Place({ href, pattern, children }: { href: string; pattern: string; children: ReactNode }) {
  const [here] = useRoute(pattern);
  return (
    <Link href={href} className="masthead-place" aria-current={here ? 'page' : undefined}>
      {children}
    </Link>
  );
}
