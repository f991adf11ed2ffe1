import { useSyncExternalStore } from 'react';

let text = '';
const listeners = new Set<() => void>();

/** Has a short sentence read out to those who listen to the page. */
export function announce(sentence: string): void {
  // The same sentence twice is no change, and would not be read again.
  text = sentence === text ? `${sentence}\u00a0` : sentence;
  for (const listener of listeners) listener();
}

/** Once per page, always there: a region that appears together with its text is not read. */
export function Announcer() {
  const sentence = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => text,
  );
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {sentence}
    </p>
  );
}
