/** The contract's base path, and the shorter one that some clients use. */
export function versioned(path: string): string[] {
  return [`api/v1/${path}`, `v1/${path}`];
}
