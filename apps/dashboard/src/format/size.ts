/** `3.2 MB`, in powers of ten as the API's limits are. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [unit, divisor] =
    bytes < 1_000_000 ? ['kB', 1_000] : bytes < 1_000_000_000 ? ['MB', 1e6] : ['GB', 1e9];
  const value = bytes / divisor;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
