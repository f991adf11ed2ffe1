import { useEffect, useRef, type ReactNode } from 'react';
import './page.css';

let firstPage = true;

/**
 * One page: its title in the tab and as the one heading. Whoever comes from another page starts reading here: the
 * heading takes the focus, and the screen its top.
 */
export function Page({
  title,
  heading,
  lead,
  actions,
  narrow = false,
  children,
}: {
  title: string;
  /** Where the heading is more than the title. */
  heading?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  narrow?: boolean;
  children?: ReactNode;
}) {
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Currawong`;
  }, [title]);
  useEffect(() => {
    if (!firstPage) {
      headingRef.current?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    firstPage = false;
  }, []);
  return (
    <div className={narrow ? 'page page-narrow' : 'page'}>
      <header className="page-head">
        <div className="page-title">
          <h1 ref={headingRef} tabIndex={-1}>
            {heading ?? title}
          </h1>
          {lead && <p className="page-lead">{lead}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page under its own heading, opened by a heavy rule. */
export function Section({
  title,
  aside,
  children,
}: {
  title: ReactNode;
  /** Beside the heading: a link, a choice. */
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="section">
      <header className="section-head">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
