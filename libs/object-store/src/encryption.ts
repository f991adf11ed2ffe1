/** How the store is asked to encrypt what it keeps. Not asked, it does as its bucket is set up. */
export interface EncryptionSettings {
  algorithm: 'AES256' | 'aws:kms';
  /** The key of the key service; the bucket's unless given. */
  kmsKeyId?: string | undefined;
}

/** Sent with whatever makes an object: one whole, or the start of one in parts. */
export function encryptionHeaders(encryption: EncryptionSettings | undefined): Record<string, string> {
  if (encryption === undefined) return {};
  const { algorithm, kmsKeyId } = encryption;
  return {
    'x-amz-server-side-encryption': algorithm,
    ...(kmsKeyId === undefined ? {} : { 'x-amz-server-side-encryption-aws-kms-key-id': kmsKeyId }),
  };
}
