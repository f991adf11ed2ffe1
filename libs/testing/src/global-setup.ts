import { join } from 'node:path';
import { startTestServers } from './start-test-servers';
import { areTestServersUp } from './test-servers';

const repositoryFolder = join(__dirname, '..', '..', '..');

/** jest calls this once a project, before its first file. Under `npm test` the servers are already there. */
export default async function globalSetup(): Promise<void> {
  if (areTestServersUp()) return;
  const { stop } = await startTestServers(repositoryFolder);
  (globalThis as { stopTestServers?: () => Promise<void> }).stopTestServers = stop;
}
