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

/** With what a person signs in on the dashboard. */
export interface DemoSignIn {
  readonly email: string;
  readonly password: string;
}

type Remembered = DemoAccount & Partial<DemoSignIn>;

const freeMinutes = 90;

/** The account of earlier starts while its key still works; otherwise a new one, made as an operator would make it. */
export async function demoAccount(
  repositoryFolder: string,
  servers: Servers,
  baseUrl: string,
): Promise<DemoAccount> {
  const path = pathIn(servers.dataFolder);
  const remembered = readJson<Remembered>(path);
  const known = remembered?.api_key && (await keyWorks(baseUrl, remembered.api_key)) ? remembered : undefined;
  if (known?.password) return known;
  const admin = <T>(...words: string[]) => runAdmin<T>(repositoryFolder, servers, words);
  const create = (email: string) =>
    admin<DemoAccount>('account', 'create', '--email', email, '--free-minutes', String(freeMinutes));
  const account =
    known ??
    (await create('demo@currawong.local')) ??
    // The address is taken when the key was lost or revoked.
    (await create(`demo-${randomBytes(3).toString('hex')}@currawong.local`));
  const signIn = account && (await admin<DemoSignIn>('account', 'password', account.account_id));
  if (!signIn)
    throw new SetupError(`The demo account could not be made; see the logs in ${servers.logFolder}`);
  const { account_id, api_key } = account;
  const { email, password } = signIn;
  writeJsonAtomic(path, { account_id, api_key, email, password });
  return account;
}

/** As it was when the account was made; the holder may have chosen another password since. */
export function demoSignIn(dataFolder: string): DemoSignIn | undefined {
  const { email, password } = readJson<Remembered>(pathIn(dataFolder)) ?? {};
  return email && password ? { email, password } : undefined;
}

/** Its owner alone may read it. */
function pathIn(dataFolder: string): string {
  return join(dataFolder, 'demo.json');
}

/** What the admin command prints; undefined where it refuses. */
async function runAdmin<T>(
  repositoryFolder: string,
  servers: Servers,
  words: string[],
): Promise<T | undefined> {
  const program = join(repositoryFolder, 'apps', 'admin', 'dist', 'main.js');
  const env = { ...process.env, ...platformEnvironment(servers) };
  const result = await runCommand(process.execPath, [program, ...words], {
    cwd: repositoryFolder,
    env,
    timeoutSeconds: 60,
  });
  return result.exitCode === 0 ? (JSON.parse(result.stdout) as T) : undefined;
}

async function keyWorks(baseUrl: string, apiKey: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/api/v1/usage`, { headers: { 'X-API-Key': apiKey } });
  await response.body?.cancel();
  return response.status !== 401 && response.status !== 403;
}
