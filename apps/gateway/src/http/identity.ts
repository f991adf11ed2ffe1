import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { IncomingMessage } from 'node:http';
import { KeyCache } from '../accounts/keys/key-cache';
import type { KeyOwner } from '../accounts/keys/keys';
import { Sessions, type SessionOwner } from '../accounts/sessions/sessions';
import { isOpenAiPath } from '../openai/routes';
import { RefusalException } from './refusal.exception';

/** Who a request says that it comes from, and proves it. */
export type Identity =
  | { kind: 'key'; key: KeyOwner }
  | { kind: 'session'; session: SessionOwner }
  /** `sentKey`: there was a key, and it is not a valid one. */
  | { kind: 'nobody'; sentKey?: true };

@Injectable()
export class Identities {
  private readonly known = new WeakMap<IncomingMessage, Promise<Identity>>();

  constructor(
    private readonly keys: KeyCache,
    private readonly sessions: Sessions,
  ) {}

  /**
   * Looked up once a request. With a key the key alone counts, and cookies are ignored.
   * @throws RefusalException 503 when nobody can be looked up now: that says nothing of the key
   */
  of(request: IncomingMessage): Promise<Identity> {
    let identity = this.known.get(request);
    if (!identity) {
      identity = this.lookUp(request).catch((error: unknown) => {
        throw RefusalException.of('unavailable', undefined, error);
      });
      this.known.set(request, identity);
    }
    return identity;
  }

  /** Looked up anew, for a request that lasts. @throws what the look-up fails with */
  again(request: IncomingMessage): Promise<Identity> {
    return this.lookUp(request);
  }

  private async lookUp(request: IncomingMessage): Promise<Identity> {
    const sent = keySentWith(request);
    if (sent === undefined) {
      const session = await this.sessions.ofRequest(request);
      return session ? { kind: 'session', session } : { kind: 'nobody' };
    }
    const key = await this.keys.ownerOf(String(sent));
    return key ? { kind: 'key', key } : { kind: 'nobody', sentKey: true };
  }
}

/** Programs for OpenAI's API send their key as a bearer's token; there alone, that no other header comes to mean anything. */
function keySentWith(request: IncomingMessage): string | undefined {
  const { 'x-api-key': key, authorization = '' } = request.headers;
  if (key !== undefined) return String(key);
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  return isOpenAiPath((request as Partial<Request>).path ?? '') ? token : undefined;
}
