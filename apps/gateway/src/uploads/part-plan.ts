import type { ClientPart } from '@currawong/object-store';

/** A broken part is sent again alone: small enough for that, and not too many for one answer. */
const USUAL_PART_BYTES = 16 * 1024 * 1024;
const MOST_PARTS = 1_000;

/**
 * How a recording of so many bytes is cut. Open uploads were cut by it: whoever changes it lets them expire first, or keeps
 * for them what it was.
 */
export function partPlan(sizeBytes: number): { partBytes: number; parts: ClientPart[] } {
  const partBytes = Math.max(USUAL_PART_BYTES, Math.ceil(sizeBytes / MOST_PARTS));
  const count = Math.ceil(sizeBytes / partBytes);
  const parts = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    sizeBytes: Math.min(partBytes, sizeBytes - index * partBytes),
  }));
  return { partBytes, parts };
}
