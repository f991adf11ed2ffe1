import { nkeys } from '@nats-io/transport-node';

/** The secret half of a new NATS user, `SU…`; the server's configuration names the public half. */
export function createUserSeed(): string {
  return new TextDecoder().decode(nkeys.createUser().getSeed());
}

/** `U…`, as the server's configuration names the user. @throws TypeError where the text is no seed of a user */
export function publicKeyOf(seed: string): string {
  if (!seed.startsWith('SU')) throw new TypeError('A seed of a NATS user begins with SU.');
  try {
    return nkeys.fromSeed(new TextEncoder().encode(seed)).getPublicKey();
  } catch {
    throw new TypeError('This is no seed of a NATS user: its checksum is wrong.');
  }
}
