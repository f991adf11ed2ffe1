import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  platformEnvironment,
  readJson,
  runCommand,
  type Servers,
  SetupError,
  writeJsonAtomic,
} from '@currawong/local-platform';

export interface DemoAccount {
  readonly account_id: string;
  readonly api_key: string;
}

const freeMinutes = 90;

/** The account of earlier starts while its key still works; otherwise a new one, made as an operator would make it. */
export async function demoAccount(
  repositoryFolder: string,
  servers: Servers,
  baseUrl: string,
): Promise<DemoAccount> {
  const path = join(servers.dataFolder, 'demo.json');
  const remembered = readJson<DemoAccount>(path);
  if (remembered?.api_key && (await keyWorks(baseUrl, remembered.api_key))) return remembered;
  const account =
    (await createAccount(repositoryFolder, servers, 'demo@currawong.local')) ??
    // The address is taken when the key was lost or revoked.
    (await createAccount(
      repositoryFolder,
      servers,
      `demo-${randomBytes(3).toString('hex')}@currawong.local`,
    ));
  if (!account)
    throw new SetupError(`The demo account could not be made; see the logs in ${servers.logFolder}`);
  writeJsonAtomic(path, account);
  return account;
}

async function createAccount(
  repositoryFolder: string,
  servers: Servers,
  email: string,
): Promise<DemoAccount | undefined> {
  const program = join(repositoryFolder, 'apps', 'admin', 'dist', 'main.js');
  const args = [program, 'account', 'create', '--email', email, '--free-minutes', String(freeMinutes)];
  const env = { ...process.env, ...platformEnvironment(servers) };
  const result = await runCommand(process.execPath, args, { cwd: repositoryFolder, env, timeoutSeconds: 60 });
  if (result.exitCode !== 0) return undefined;
  const account = JSON.parse(result.stdout) as DemoAccount;
  return { account_id: account.account_id, api_key: account.api_key };
}

async function keyWorks(baseUrl: string, apiKey: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/api/v1/usage`, { headers: { 'X-API-Key': apiKey } });
  await response.body?.cancel();
  return response.status !== 401 && response.status !== 403;
}
