import type { ByteRange } from '@currawong/object-store';

/**
 * What a Range header (RFC 9110) asks of `sizeBytes` bytes. `whole` where it is absent, not understood, or asks for several ranges
 * at once, which a server may answer with everything; `unsatisfiable` where it begins beyond the end.
 */
export function byteRangeOf(
  header: string | undefined,
  sizeBytes: number,
): Required<ByteRange> | 'whole' | 'unsatisfiable' {
  const [, first, last] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const start = Math.max(0, sizeBytes - Number(last));
    return start < sizeBytes ? { start, end: sizeBytes } : 'unsatisfiable';
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  return start < sizeBytes ? { start, end } : 'unsatisfiable';
}
