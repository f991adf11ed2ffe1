import { SCHEMA_OWNERS, type SubjectPermissions } from '@currawong/contracts';
import { createUserSeed, publicKeyOf } from '@currawong/messaging';
import { randomBytes } from 'node:crypto';

const DATABASE_NAME = 'currawong';

/** A Postgres address for each service that has a database, every one with a role and password of its own. */
export function newDatabaseUrls(host: string): Record<string, string> {
  return Object.fromEntries(
    Object.keys(SCHEMA_OWNERS).map((service) => [
      service,
      `postgres://${service}:${newPassword()}@${host}:5432/${DATABASE_NAME}`,
    ]),
  );
}

export function newNatsSeeds(users: readonly string[]): Record<string, string> {
  return Object.fromEntries(users.map((user) => [user, createUserSeed()]));
}

export function newStoreKeys(): Record<string, string> {
  return { 'access-key': `currawong${randomBytes(6).toString('hex')}`, 'secret-key': newPassword() };
}

/** 192 random bits, of characters that need no escaping anywhere. */
export function newPassword(): string {
  return randomBytes(24).toString('hex');
}

/** The part of the NATS server's configuration that says who may do what; users are named by their public keys. */
export function natsAuthorization(
  seeds: Readonly<Record<string, string>>,
  permissions: Readonly<Record<string, SubjectPermissions>>,
): string {
  const users = Object.entries(permissions).map(([user, { publish, subscribe }]) => {
    const allowed = (subjects: readonly string[]) => `{ allow: ${JSON.stringify(subjects)} }`;
    return [
      `    # ${user}`,
      `    { nkey: ${publicKeyOf(seeds[user] ?? '')}, permissions: {`,
      `        publish: ${allowed(publish.allow)}`,
      `        subscribe: ${allowed(subscribe.allow)}`,
      '    } }',
    ].join('\n');
  });
  return `authorization {\n  users = [\n${users.join('\n')}\n  ]\n}\n`;
}
