import { accept } from '@currawong/contracts';
import type { Requester } from '@currawong/messaging';
import { ObjectNotFound, type ObjectStore } from '@currawong/object-store';
import { v7 as uuidv7 } from 'uuid';
import { StoreUploads } from './store-uploads';

it('an upload that is cancelled between being put together and being looked at is one that is not there', async () => {
  const found = accept({ source_key: 'audio/a', store_upload_id: 'u', size_bytes: 10 });
  const requester = { ask: () => Promise.resolve(found) } as unknown as Requester;
  const objects = {
    completeParts: () => Promise.resolve([]),
    getBuffer: (key: string) => Promise.reject(new ObjectNotFound(key)),
  } as unknown as ObjectStore;
  const finished = new StoreUploads(requester, objects).finish(
    { account_id: uuidv7(), mode: 'live' },
    uuidv7(),
  );
  await expect(finished).rejects.toMatchObject({ refusal: { code: 'upload_not_found' } });
});
