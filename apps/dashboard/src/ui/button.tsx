import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from 'react';
import { Link } from 'wouter';
import './button.css';

type Kind = 'main' | 'plain' | 'quiet' | 'danger';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  /** Something is under way: the button keeps its size and its focus, and does nothing more. */
  busy?: boolean | undefined;
  small?: boolean;
}

export function Button({
  kind = 'plain',
  busy = false,
  small = false,
  className,
  type = 'button',
  onClick,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={classes(kind, small, className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    >
      <span className="button-text">{children}</span>
      {busy && <span className="button-busy" aria-hidden="true" />}
    </button>
  );
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  kind?: Kind;
  small?: boolean;
  href: string;
}

/** A link within the dashboard that looks like a button. */
export function ButtonLink({ kind = 'plain', small = false, className, href, ...rest }: LinkProps) {
  return <Link {...rest} href={href} className={classes(kind, small, className)} />;
}

/** The same for what lies outside of it: a payment page, a file. */
export function ButtonAnchor({ kind = 'plain', small = false, className, ...rest }: LinkProps) {
  return <a {...rest} className={classes(kind, small, className)} />;
}

function classes(kind: Kind, small: boolean, more: string | undefined): string {
  return ['button', `button-${kind}`, small && 'button-small', more].filter(Boolean).join(' ');
}
