/** What an id of the public interface may be an id of. Models are everybody's; all else is somebody's own. */
export type IdKind = 'job' | 'key' | 'event' | 'upload' | 'delivery' | 'model';

/** By the name of the parameter, or where that is `id` alone by the part of the path in front of it. */
const BY_NAME: Record<string, IdKind> = {
  job_id: 'job',
  key_id: 'key',
  before: 'event',
  upload_id: 'upload',
  model: 'model',
};
const BY_COLLECTION: Record<string, IdKind> = {
  jobs: 'job',
  status: 'job',
  keys: 'key',
  deliveries: 'delivery',
};

/**
 * @throws Error for a parameter that nothing is known of: whoever adds a route says here what its ids are, and in
 *  a customer comes to have one
 */
export function publishedId(name: string, path: string): IdKind {
  const collection = path.split('/').findLast((_, index, parts) => parts[index + 1] === `{${name}}`);
  const kind = BY_NAME[name] ?? (collection === undefined ? undefined : BY_COLLECTION[collection]);
  if (kind) return kind;
  throw new Error(
    `Nothing says what the parameter "${name}" of ${path} is an id of. Add it to e2e/security/id-kinds.ts, so that the ` +
      'ids of other accounts are tried there as well.',
  );
}
