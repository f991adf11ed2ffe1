import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Mark } from '../ui/mark';
import { Page } from '../ui/page';
import { Bird } from './bird';
import './frame.css';

/** Around the pages that are open to everyone: the bird on one side, the form on the other. */
export function Frame({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  return (
    <div className="frame">
      <header className="frame-bird">
        <Link href="/sign-in" className="frame-brand" aria-label="Currawong: sign in">
          <Mark size={34} />
          <span>Currawong</span>
        </Link>
        <Bird />
        <p className="frame-words">
          Recordings in.
          <br />
          Who said what, out.
        </p>
      </header>
      <main className="frame-main">
        <Page title={title} lead={lead} narrow>
          {children}
        </Page>
      </main>
    </div>
  );
}
