import { Link } from 'wouter';
import { BackIcon, ArrowIcon } from './icons';
import './pager.css';

/** Leads through the pages of a list whose place is in the address. Nothing where there is one page. */
export function Pager({
  page,
  totalPages,
  href,
}: {
  page: number;
  totalPages: number;
  href: (page: number) => string;
}) {
  if (totalPages <= 1 && page === 1) return null;
  return (
    <nav className="pager" aria-label="Pages">
      {page > 1 ? (
        <Link href={href(page - 1)} className="pager-link" rel="prev">
          <BackIcon /> Newer
        </Link>
      ) : (
        <span />
      )}
      <span className="number soft">
        Page {page} of {Math.max(totalPages, 1)}
      </span>
      {page < totalPages ? (
        <Link href={href(page + 1)} className="pager-link" rel="next">
          Older <ArrowIcon />
        </Link>
      ) : (
        <span />
      )}
    </nav>
  );
}
