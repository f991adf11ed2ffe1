import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Turns } from './turns';

interface Cost {
  memoryKib: number;
  passes: number;
  lanes: number;
}

/** The least that OWASP recommends of Argon2id; about 27 ms of one core and 19 MiB. */
const COST: Cost = { memoryKib: 19_456, passes: 2, lanes: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/**
 * Hashing runs in node's pool of four threads, which files and host names need as well. What has to wait longer than
 * a person would is refused instead.
 */
const turns = new Turns({ atOnce: 2, waiting: 200 });

/** `$argon2id$v=19$m=…,t=…,p=…$salt$tag`, the form that other programs read too. */
const PHC_FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** @throws RefusalException 503 when too many passwords are being hashed */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(password, salt, TAG_BYTES, COST);
  return `$argon2id$v=19$m=${COST.memoryKib},t=${COST.passes},p=${COST.lanes}$${base64(salt)}$${base64(tag)}`;
}

/**
 * Compares at the cost that was stored with the hash. Takes as long, and says no, where there is no hash: nobody
 * learns from the time whether an account has a password, or is there at all.
 * @param stored null where there is nothing to compare with
 * @throws RefusalException 503 when too many passwords are being hashed
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const { cost, salt, tag } = parse(stored ?? NOBODYS_HASH);
  const same = timingSafeEqual(await derive(password, salt, tag.length, cost), tag);
  return same && stored !== null;
}

/** Whether a hash was made at another cost than new ones are: then the password is hashed again while it is at hand. */
export function isOutdated(stored: string): boolean {
  const { cost } = parse(stored);
  return cost.memoryKib !== COST.memoryKib || cost.passes !== COST.passes || cost.lanes !== COST.lanes;
}

const NOBODYS_HASH = `$argon2id$v=19$m=${COST.memoryKib},t=${COST.passes},p=${COST.lanes}$${base64(randomBytes(SALT_BYTES))}$${base64(randomBytes(TAG_BYTES))}`;

const argon2Async = promisify(argon2);

function derive(password: string, salt: Buffer, tagLength: number, cost: Cost): Promise<Buffer> {
  // Keyboards differ in how they send an accented letter; to the person it is the same one.
  const message = password.normalize('NFKC');
  return turns.take(() =>
    argon2Async('argon2id', {
      message,
      nonce: salt,
      tagLength,
      memory: cost.memoryKib,
      passes: cost.passes,
      parallelism: cost.lanes,
    }),
  );
}

function parse(phc: string): { cost: Cost; salt: Buffer; tag: Buffer } {
  const parts = PHC_FORM.exec(phc);
  if (!parts) throw new Error('A stored password hash is not in the form that is written here.');
  const [, memory, passes, lanes, salt, tag] = parts;
  return {
    cost: { memoryKib: Number(memory), passes: Number(passes), lanes: Number(lanes) },
    salt: Buffer.from(salt!, 'base64'),
    tag: Buffer.from(tag!, 'base64'),
  };
}

/** Without padding, as PHC strings have it. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
