import type { Connection } from './connection';
import { faultOf } from './errors';

/**
 * Aborts every multipart upload to keys with this prefix that was begun longer ago than `olderThanSeconds`, by the
 * store's clock against ours. The age must exceed the longest upload that can still be alive there.
 * @returns how many were aborted
 * @throws StoreUnavailable
 */
export async function abortStaleUploads(
  connection: Connection,
  olderThanSeconds: number,
  prefix = '',
): Promise<number> {
  const { client, bucket } = connection;
  const startedBefore = Date.now() - olderThanSeconds * 1000;
  let abortedCount = 0;
  let keyMarker = '';
  let uploadIdMarker = '';
  for (;;) {
    const page = await connection.call({ timeoutMs: 30_000, attempts: 3 }, () =>
      client.listIncompleteUploadsQuery(bucket, prefix, keyMarker, uploadIdMarker, ''),
    );
    for (const { key, uploadId, initiated } of page.uploads) {
      if (initiated.getTime() > startedBefore) continue;
      if (await abort(connection, key, uploadId)) abortedCount++;
    }
    if (!page.isTruncated) return abortedCount;
    keyMarker = page.nextKeyMarker;
    uploadIdMarker = page.nextUploadIdMarker;
  }
}

/** False when somebody else finished or aborted it first, which is as good. */
async function abort(connection: Connection, key: string, uploadId: string): Promise<boolean> {
  const { client, bucket } = connection;
  try {
    await connection.call({ timeoutMs: 30_000, key }, () =>
      client.abortMultipartUpload(bucket, key, uploadId),
    );
    return true;
  } catch (error) {
    if (faultOf((error as Error).cause).code === 'NoSuchUpload') return false;
    throw error;
  }
}
