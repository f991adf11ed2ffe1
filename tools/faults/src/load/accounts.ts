import type { Arena } from '../arena/arena';
import type { Account } from './record';

/** Somebody with credit, somebody with free minutes, somebody with next to nothing, and a test key. */
const WANTED = [
  { name: 'rich', mode: 'live', creditAud: '500', freeMinutes: '0' },
  { name: 'free', mode: 'live', creditAud: '20', freeMinutes: '20' },
  { name: 'poor', mode: 'live', creditAud: '0.52', freeMinutes: '0' },
  { name: 'test', mode: 'test', creditAud: '0', freeMinutes: '0' },
] as const;

export function makeAccounts(arena: Arena): Promise<Account[]> {
  return Promise.all(
    WANTED.map(async ({ name, mode, creditAud, freeMinutes }) => {
      const made = await arena.admin<{ account_id: string; api_key: string }>(
        ...['account', 'create', '--email', `${name}@example.com`, '--mode', mode],
        ...['--credit-aud', creditAud, '--free-minutes', freeMinutes],
      );
      return { name, mode, id: made.value.account_id, apiKey: made.value.api_key };
    }),
  );
}
