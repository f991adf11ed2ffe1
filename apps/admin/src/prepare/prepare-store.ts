import { StoreUnavailable, type ObjectStore } from '@currawong/object-store';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until the bucket is there, made here where it is missing, and takes an object: a store answers before it can keep
 * anything. Refusals are repeated as well, because a store that is starting does not know its keys yet.
 * @returns whether the bucket was made
 * @throws StoreUnavailable with what the last attempt met
 */
export async function prepareStore(store: ObjectStore, withinMs: number): Promise<boolean> {
  const until = Date.now() + withinMs;
  let made = false;
  for (;;) {
    try {
      made = (await store.ensureBucket()) || made;
      const key = `preparation/${randomUUID()}`;
      await store.putBuffer(key, Buffer.from('A store that takes this is ready.\n'), {
        contentType: 'text/plain',
      });
      await store.delete(key);
      return made;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || Date.now() > until) throw error;
      await sleep(Math.min(1_000, withinMs / 5));
    }
  }
}
