/**
 * What can go wrong with the store. No message names a host, an address or a bucket: these texts may reach a customer
 * through a crash path. What the store or the network really said is in `cause`, for the log.
 */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError';
}

/** There is no object under this key. */
export class ObjectNotFound extends ObjectStoreError {
  override name = 'ObjectNotFound';
  constructor(
    readonly key: string,
    options?: ErrorOptions,
  ) {
    super(`No object is stored under ${key}`, options);
  }
}

/** A source delivered, or an object holds, more than the caller allowed. Nothing of a refused source is kept. */
export class ObjectTooLarge extends ObjectStoreError {
  override name = 'ObjectTooLarge';
  constructor(readonly maxBytes: number) {
    super(`More than the ${maxBytes} bytes that were allowed`);
  }
}

/** The range asked for begins at or beyond the object's end. */
export class RangeOutsideObject extends ObjectStoreError {
  override name = 'RangeOutsideObject';
  constructor(
    readonly key: string,
    options?: ErrorOptions,
  ) {
    super(`The range lies outside of the object ${key}`, options);
  }
}

/** The store is down, hanging, overloaded or refuses us. Trying again later can help; nothing was kept. */
export class StoreUnavailable extends ObjectStoreError {
  override name = 'StoreUnavailable';
  constructor(
    reason: string,
    /** True for faults that pass (network, 5xx, throttling), false for refusals such as wrong keys. */
    readonly transient = true,
    options?: ErrorOptions,
  ) {
    super(`The object store is not available: ${reason}`, options);
  }
}

/** The bucket lies, or is configured to lie, outside of the regions that this installation may use. */
export class WrongRegion extends ObjectStoreError {
  override name = 'WrongRegion';
}

const absent = new Set(['NoSuchKey', 'NotFound']);
const passing = new Set([
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'RequestTimeout',
  'OperationAborted',
]);

/**
 * Turns whatever minio, node:http or the network threw into one of the classes above.
 * Mistakes of the program stay what they are.
 */
export function asStoreError(error: unknown, key: string): Error {
  if (error instanceof ObjectStoreError || error instanceof RangeError || error instanceof TypeError)
    return error;
  // minio wraps what getting the keys of a role failed with.
  if (error instanceof Error && error.cause instanceof ObjectStoreError) return error.cause;
  const { code, name } = faultOf(error);
  const options = { cause: error };
  if (absent.has(code)) return new ObjectNotFound(key, options);
  if (code === 'InvalidRange') return new RangeOutsideObject(key, options);
  const refusedByStore = name === 'S3Error' && code !== '' && !passing.has(code);
  // Of a 5xx answer minio keeps no more than a number within a sentence.
  const status = error instanceof Error ? /HTTP status: (\d+)/.exec(error.message)?.[1] : undefined;
  const reason = code || (status ? `status ${status}` : 'it broke the request off');
  return new StoreUnavailable(reason, !refusedByStore, options);
}

/** Error code as S3 or the system gave it, `''` when there is none; minio throws plain objects now and then. */
export function faultOf(error: unknown): { code: string; name: string } {
  if (typeof error !== 'object' || error === null) return { code: '', name: '' };
  const fields = error as Record<string, unknown>;
  const code = fields['code'] ?? fields['Code'];
  // The parser of the S3 answers lower-cases the fields of errors, but not those of the plain objects it throws.
  const plain = !(error instanceof Error) && typeof fields['Code'] === 'string';
  return {
    code: typeof code === 'string' ? code : '',
    name: plain ? 'S3Error' : typeof fields['name'] === 'string' ? fields['name'] : '',
  };
}
