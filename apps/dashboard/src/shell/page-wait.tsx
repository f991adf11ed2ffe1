import { Loading, Skeleton } from '../ui/skeleton';

/** Stands where a page will be while its script is on the way. */
export function PageWait() {
  return (
    <div className="page" aria-busy="true">
      <header className="page-head">
        <p className="page-wait-title">
          <Skeleton width={9} />
        </p>
      </header>
      <Loading what="the page" />
    </div>
  );
}
