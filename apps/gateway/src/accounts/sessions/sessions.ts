import type { AccountState } from '@currawong/contracts';
import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';

/** Who is signed in on the dashboard. */
export interface SessionOwner {
  sessionId: string;
  accountId: string;
  accountState: AccountState;
  /** What `X-CSRF-Token` must say on every request of this session that changes something. */
  csrfToken: string;
}

/** The sessions of people who signed in on the dashboard. */
@Injectable()
export class Sessions {
  /** @returns undefined for a request without a session that is still good */
  async ofRequest(_request: IncomingMessage): Promise<SessionOwner | undefined> {
    return undefined;
  }
}
