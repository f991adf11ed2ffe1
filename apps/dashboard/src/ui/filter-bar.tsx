import type { ReactNode } from 'react';
import { Link } from 'wouter';
import './filter-bar.css';

/** Stands over a list whose filter is in the address: what may be chosen, and how much there is of it. */
export function FilterBar<Choice extends string | null>({
  label,
  choices,
  chosen,
  href,
  count,
  beside,
}: {
  label: string;
  choices: readonly (readonly [choice: Choice, name: string])[];
  chosen: Choice;
  href: (choice: Choice) => string;
  /** Such as `3 jobs`; undefined while it is not known. */
  count: ReactNode;
  /** A link to what belongs to the list without being in it. */
  beside?: ReactNode;
}) {
  return (
    <div className="filter-bar">
      <nav className="filter-bar-choices" aria-label={label}>
        {choices.map(([choice, name]) => (
          <Link key={name} href={href(choice)} aria-current={choice === chosen ? 'true' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <div className="filter-bar-end">
        <p className="soft number" role="status">
          {count}
        </p>
        {beside}
      </div>
    </div>
  );
}
