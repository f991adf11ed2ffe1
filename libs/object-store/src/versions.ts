import type { Connection } from './connection';
import { faultOf, StoreUnavailable } from './errors';
import type { ObjectInfo, ObjectVersion } from './object-store';

const PAGE = 1_000;
const readCall = { timeoutMs: 20_000, attempts: 3 };
/** What a store answers that keeps no versions, or does not let its user see them. */
const NOT_LISTED = new Set(['MethodNotAllowed', 'NotImplemented', 'AccessDenied']);

/** What minio gives for a version, beside what it declares. */
interface ListedVersion {
  name?: string;
  size?: number;
  versionId?: string;
  isDeleteMarker?: boolean;
}

/**
 * Every version of every object under a prefix. S3 calls the one version that a bucket without versions keeps of an object
 * `null`, and lets it be deleted like any other.
 * @param objects lists the objects alone, for a store that does not list versions
 */
export async function listVersions(
  connection: Connection,
  prefix: string,
  objects: () => AsyncIterable<ObjectInfo>,
): Promise<ObjectVersion[]> {
  const { client, bucket } = connection;
  const versions: ObjectVersion[] = [];
  let after = { keyMarker: '', versionIdMarker: '' };
  try {
    for (;;) {
      const options = { Delimiter: '', MaxKeys: PAGE, IncludeVersion: true, ...after };
      const page = await connection.call(readCall, () =>
        client.listObjectsQuery(bucket, prefix, '', options),
      );
      for (const { name, size, versionId, isDeleteMarker } of page.objects as ListedVersion[]) {
        if (name === undefined) continue;
        const version = { key: name, sizeBytes: size ?? 0, isDeleteMarker: isDeleteMarker === true };
        versions.push(versionId === undefined ? version : { ...version, versionId });
      }
      if (!page.isTruncated) return versions;
      // minio escapes every other value of the query, and signs what it sends.
      after = {
        keyMarker: encodeURIComponent(page.keyMarker ?? ''),
        versionIdMarker: encodeURIComponent(page.versionIdMarker ?? ''),
      };
    }
  } catch (error) {
    if (!NOT_LISTED.has(faultOf((error as Error).cause).code)) throw error;
  }
  const plain: ObjectVersion[] = [];
  for await (const { key, sizeBytes } of objects()) plain.push({ key, sizeBytes, isDeleteMarker: false });
  return plain;
}

/** Deletes what `listVersions` has listed. @throws StoreUnavailable where any of it may still be there */
export async function deleteVersions(
  connection: Connection,
  versions: readonly ObjectVersion[],
): Promise<void> {
  const { client, bucket } = connection;
  for (let start = 0; start < versions.length; start += PAGE) {
    const named = versions
      .slice(start, start + PAGE)
      .map(({ key, versionId }) => (versionId === undefined ? { name: key } : { name: key, versionId }));
    const answers = await connection.call(readCall, () => client.removeObjects(bucket, named));
    const failed = answers.flat().find((answer) => answer && 'Error' in answer && answer.Error !== undefined);
    if (failed) throw new StoreUnavailable('it did not delete every object', true, { cause: failed });
  }
}
