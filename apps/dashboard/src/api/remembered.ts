export interface Remembered<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

/** A choice out of a few that outlives the page, where the browser lets it. */
export function remembered<T extends string>(
  name: string,
  choices: readonly T[],
  otherwise: T,
): Remembered<T> {
  const listeners = new Set<() => void>();
  let value = read();
  // Another tab has chosen.
  globalThis.addEventListener?.('storage', (event: StorageEvent) => {
    if (event.key === name) become(read());
  });

  function read(): T {
    try {
      return choices.find((choice) => choice === localStorage.getItem(name)) ?? otherwise;
    } catch {
      return otherwise;
    }
  }
  function become(next: T): void {
    if (next === value) return;
    value = next;
    for (const listener of listeners) listener();
  }
  return {
    get: () => value,
    set(next) {
      try {
        localStorage.setItem(name, next);
      } catch {
        // A browser that keeps nothing: the choice holds until the page is closed.
      }
      become(next);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
