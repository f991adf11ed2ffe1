import type { CSSProperties } from 'react';
import './skeleton.css';

/** Holds the place of one line of text until it is there. `width` in `ch`: about as many characters as will come. */
export function Skeleton({ width = 8 }: { width?: number }) {
  return (
    <span
      className="skeleton"
      style={{ '--skeleton-width': `${width}ch` } as CSSProperties}
      aria-hidden="true"
    />
  );
}

/** What those hear who see no skeleton. */
export function Loading({ what }: { what: string }) {
  return (
    <p className="visually-hidden" role="status">
      Loading {what} …
    </p>
  );
}
