import { refuse } from '@currawong/contracts';
import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { RefusalException } from '../../http/refusal.exception';

/** A page follows one or a few jobs, a program perhaps dozens. */
export const MAX_STREAMS_PER_ACCOUNT = 50;
const RETRY_AFTER_SECONDS = 10;

const openStreams = new Gauge({
  name: 'currawong_event_streams',
  help: 'Streams of events about a job that are open',
});

/** The streams of this process: so many to an account, and all of them ended when it is to stop. */
@Injectable()
export class EventStreams {
  private readonly open = new Map<string, Set<AbortController>>();
  private isEnding = false;

  /**
   * @returns a signal that ends the stream when the process is to stop, and what is to be called once it is over
   * @throws RefusalException 429 where the account has as many open as it may, 503 where the process is about to stop
   */
  enter(accountId: string): { ending: AbortSignal; leave: () => void } {
    if (this.isEnding) throw RefusalException.of('unavailable');
    const streams = this.open.get(accountId) ?? new Set<AbortController>();
    if (streams.size >= MAX_STREAMS_PER_ACCOUNT) {
      const detail = `At most ${MAX_STREAMS_PER_ACCOUNT} jobs can be followed at a time. Wait ${RETRY_AFTER_SECONDS} seconds, then try again.`;
      throw new RefusalException(refuse('rate_limited', detail).refusal, undefined, {
        'Retry-After': String(RETRY_AFTER_SECONDS),
      });
    }
    const stream = new AbortController();
    this.open.set(accountId, streams.add(stream));
    openStreams.inc();
    return { ending: stream.signal, leave: () => this.leave(accountId, streams, stream) };
  }

  /** Clients come back by themselves, to another process. */
  endAll(): void {
    this.isEnding = true;
    for (const streams of this.open.values()) for (const stream of streams) stream.abort();
  }

  private leave(accountId: string, streams: Set<AbortController>, stream: AbortController): void {
    if (!streams.delete(stream)) return;
    openStreams.dec();
    if (streams.size === 0) this.open.delete(accountId);
  }
}
