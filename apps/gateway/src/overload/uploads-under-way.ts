import type { IncomingMessage, ServerResponse } from 'node:http';
import { Gauge } from 'prom-client';

const underWay = new Gauge({
  name: 'currawong_uploads_under_way',
  help: 'Requests that send a recording and have not been answered',
});

/** Requests that hold memory and a connection for as long as somebody else's line is slow: there is a most of them. */
export class UploadsUnderWay {
  private count = 0;
  private readonly inside = new WeakSet<object>();

  constructor(private readonly most: number) {}

  /** @returns false where there are as many as there may be; else the place is given back with the end of the answer */
  enter(response: Pick<ServerResponse<IncomingMessage>, 'once'>): boolean {
    if (this.count >= this.most) return false;
    this.inside.add(response);
    underWay.set(++this.count);
    response.once('close', () => this.leave(response));
    return true;
  }

  /** Everything has arrived, and the answer is long in coming. */
  leave(response: object): void {
    if (this.inside.delete(response)) underWay.set(--this.count);
  }
}
