import { ServiceUnavailable } from '@currawong/messaging';
import { StoreUnavailable } from '@currawong/object-store';
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 4;
const FIRST_PAUSE_MS = 200;

/**
 * Repeats what may be done twice without harm (a put under a key of our own, a publish under an id) while the store or
 * the broker is briefly away: minutes of recognition may hang on it.
 */
export async function persistently<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      const away =
        error instanceof ServiceUnavailable || (error instanceof StoreUnavailable && error.transient);
      if (!away || tries >= TRIES) throw error;
      await sleep(FIRST_PAUSE_MS * 4 ** (tries - 1), undefined, { signal });
    }
  }
}
