/** Never below 0: the database's clock may have been set in between, or be a little ahead of ours. */
export function secondsBetween(start: Date, end: Date): number {
  return Math.max(0, (end.getTime() - start.getTime()) / 1_000);
}

/** Seconds that a piece of work has been at its worker; 0 where it is at none. */
export function secondsSinceClaim({ started_at }: { started_at: Date | null }): number {
  return started_at === null ? 0 : secondsBetween(started_at, new Date());
}
