import type { IncomingMessage, ServerResponse } from 'node:http';
import { Gauge } from 'prom-client';

const underWay = new Gauge({
  name: 'currawong_uploads_under_way',
  help: 'Requests that send a recording and have not been answered',
});

/** One that sends as slowly as is allowed occupies its place for days. */
const SHARE_OF_ONE_ACCOUNT = 0.75;

/** Requests that hold memory and a connection for as long as somebody else's line is slow: there is a most of them. */
export class UploadsUnderWay {
  private count = 0;
  /** Whose they are, once that is known. */
  private readonly inside = new WeakMap<object, string | undefined>();
  private readonly ofAccount = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** How many one account may have: the others always find a place, however many slow ones it sends. */
  get mostOfOneAccount(): number {
    return Math.ceil(this.most * SHARE_OF_ONE_ACCOUNT);
  }

  /** @returns false where there are as many as there may be; else the place is given back with the end of the answer */
  enter(response: Pick<ServerResponse<IncomingMessage>, 'once' | 'destroyed'>): boolean {
    // Its client has gone: `close` has been said, and nothing would give the place back.
    if (response.destroyed) return true;
    if (this.count >= this.most) return false;
    this.inside.set(response, undefined);
    underWay.set(++this.count);
    response.once('close', () => this.leave(response));
    return true;
  }

  /** Says whose it is. @returns false where the account has as many as it may have */
  belongsTo(response: object, accountId: string): boolean {
    // Its client may have gone while it was looked up.
    if (!this.inside.has(response) || this.inside.get(response) !== undefined) return true;
    const others = this.ofAccount.get(accountId) ?? 0;
    if (others >= this.mostOfOneAccount) return false;
    this.inside.set(response, accountId);
    this.ofAccount.set(accountId, others + 1);
    return true;
  }

  /** Everything has arrived, and the answer is long in coming. */
  leave(response: object): void {
    const accountId = this.inside.get(response);
    if (!this.inside.delete(response)) return;
    underWay.set(--this.count);
    if (accountId === undefined) return;
    const left = this.ofAccount.get(accountId)! - 1;
    if (left > 0) this.ofAccount.set(accountId, left);
    else this.ofAccount.delete(accountId);
  }
}
