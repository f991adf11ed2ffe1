/** The sign-in page, which leads back to where one was. */
export function signInPath(path: string, search: string): string {
  const here = search === '' ? path : `${path}?${search}`;
  return here === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(here)}`;
}

/** Where to go after signing in: only ever a page of the dashboard, whatever the address claims. */
export function destination(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/';
  return /^\/(?![/\\])/.test(next) && !/^\/sign-(in|up)\b/.test(next) ? next : '/';
}
