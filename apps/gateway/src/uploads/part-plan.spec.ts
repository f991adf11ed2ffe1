import { partPlan } from './part-plan';

const MEBIBYTE = 1024 * 1024;

it.each([1, 16 * MEBIBYTE, 16 * MEBIBYTE + 1, 500_000_000, 5 * 1024 ** 4])(
  'the parts of %d bytes are all of it, numbered from 1, and none is too small for the store but the last',
  (sizeBytes) => {
    const { partBytes, parts } = partPlan(sizeBytes);
    expect(parts.reduce((sum, part) => sum + part.sizeBytes, 0)).toBe(sizeBytes);
    expect(parts.map(({ number }) => number)).toEqual(parts.map((_, index) => index + 1));
    expect(parts.length).toBeLessThanOrEqual(1_000);
    expect(partBytes).toBeGreaterThanOrEqual(16 * MEBIBYTE);
    for (const part of parts.slice(0, -1)) expect(part.sizeBytes).toBe(partBytes);
    expect(parts.at(-1)!.sizeBytes).toBeGreaterThan(0);
  },
);
