/** Why the database cannot be used and what to do about it, in one or two sentences without a secret. */
export function unreachable(error: unknown): string {
  const { code = '', message } = error as { code?: string; message?: string };
  // Several addresses of one name fail together, with an empty message of their own.
  const first = error instanceof AggregateError ? (error.errors[0] as Error | undefined)?.message : undefined;
  const reason = message || first || code || String(error);
  return `The database cannot be used (${reason}). ${remedy(code, reason)}`;
}

function remedy(code: string, reason: string): string {
  if (code in REMEDIES) return REMEDIES[code] as string;
  if (code.startsWith('28')) return 'Correct the user and the password in DATABASE_URL, or make this user.';
  if (/certificate|SSL|TLS/i.test(`${code} ${reason}`))
    return 'Correct sslmode and sslrootcert in DATABASE_URL, or the certificate of the server.';
  return 'Start Postgres, let this process reach it, or correct the address in DATABASE_URL.';
}

/** By Postgres's own codes. */
const REMEDIES: Record<string, string> = {
  '3D000': 'Make this database, or correct its name in DATABASE_URL.',
  '42501': 'Grant this user the rights of the owner of its schema.',
  '53300': 'Lower DATABASE_POOL_SIZE, or raise max_connections of the server.',
  '57P03': 'It is starting or stopping: wait.',
};
