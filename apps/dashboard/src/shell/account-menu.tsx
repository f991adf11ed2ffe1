import type { AccountBody } from '@currawong/contracts';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Problem } from '../api/client';
import { useSession } from '../session/session';
import { PersonIcon } from '../ui/icons';
import { ProblemNotice } from '../ui/notice';
import { ThemeChoice } from './theme';

export function AccountMenu({ account }: { account: AccountBody | null }) {
  const { signOut } = useSession();
  const [problem, setProblem] = useState<Problem | null>(null);
  const menu = useRef<HTMLDivElement>(null);
  const close = () => menu.current?.hidePopover();
  return (
    <>
      <button
        type="button"
        className="account-button"
        popoverTarget="account-menu"
        aria-label="Account"
        disabled={!account}
      >
        <PersonIcon />
      </button>
      <div
        ref={menu}
        id="account-menu"
        className="account-menu"
        popover="auto"
        aria-label="Account"
        role="group"
      >
        <div className="account-menu-sheet">
          <p className="account-menu-who">
            {account?.name && (
              <>
                <strong>{account.name}</strong>
                <br />
              </>
            )}
            <span className="small">{account?.email}</span>
          </p>
          <div className="account-menu-links">
            <Link href="/settings" onClick={close}>
              Settings
            </Link>
            <a href="/docs">API documentation</a>
            <button type="button" onClick={() => void signOut().then(setProblem)}>
              Sign out
            </button>
          </div>
          <ProblemNotice problem={problem} />
          <ThemeChoice />
        </div>
      </div>
    </>
  );
}
