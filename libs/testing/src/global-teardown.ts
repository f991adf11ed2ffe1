/** Stops the servers that the global set-up of this very jest has started, and no others. */
export default async function globalTeardown(): Promise<void> {
  const held = globalThis as { stopTestServers?: (() => Promise<void>) | undefined };
  await held.stopTestServers?.();
  held.stopTestServers = undefined;
}
