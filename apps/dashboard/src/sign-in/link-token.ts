import { useEffect, useState } from 'react';

/**
 * The token of a link in a message, from the part of the address that no server sees. It is taken out of the address
 * at once, so that it stays neither in the history nor in a picture of the screen.
 */
export function useLinkToken(): string | null {
  const [token, setToken] = useState(() => tokenOf(location.hash));
  useEffect(() => {
    // A second link opened on this page changes nothing but this part, and loads nothing.
    const take = () => {
      const linked = tokenOf(location.hash);
      if (linked === null) return;
      setToken(linked);
      history.replaceState(history.state, '', location.pathname + location.search);
    };
    take();
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  return token;
}

export function tokenOf(hash: string): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, '')).get('token');
  return token === '' ? null : token;
}
