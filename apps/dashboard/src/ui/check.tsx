import type { InputHTMLAttributes, ReactNode } from 'react';
import './check.css';

/** A box to tick with its words. */
export function Check({
  children,
  ...rest
}: Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & { children: ReactNode }) {
  return (
    <label className="check">
      <input {...rest} type="checkbox" />
      <span>{children}</span>
    </label>
  );
}
