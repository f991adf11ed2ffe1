import { DataSource, row } from '@currawong/database';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RefusalException } from '../http/refusal.exception';
import { refusals } from './metrics';

const SWEEP_EVERY_MS = 60_000;
const MAX_REMEMBERED = 50_000;

/** What is left to someone, as the `RateLimit-*` headers say it. */
export interface Budget {
  limit: number;
  remaining: number;
  /** Whole seconds, at least 1, after which the whole limit is there again. */
  resetSeconds: number;
}

export interface Counted extends Budget {
  /** False where the limit was used up before: `resetSeconds` is then what has to be waited. */
  allowed: boolean;
}

/** A window as this process knows it. When it ends is known as exactly as the question to the database was quick. */
interface Window {
  used: number;
  endsAfterMs: number;
  endsBeforeMs: number;
}

/** Requests of one subject that are counted by one statement. */
interface Batch {
  size: number;
  counted: Promise<Window>;
}

/**
 * Counts in fixed windows that begin with the first request after the last one ended. One row a window, changed by one
 * statement, by the database's clock: exact however many gateways count at the same time. Because the whole limit comes
 * back at once, everybody who has waited until then is let in.
 */
@Injectable()
export class RateLimiter implements OnModuleInit, BeforeApplicationShutdown {
  private readonly log = new Logger(RateLimiter.name);
  private readonly known = new LRUCache<string, Window>({ max: MAX_REMEMBERED });
  private readonly counting = new Map<string, Promise<unknown>>();
  private readonly waiting = new Map<string, Batch>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly source: DataSource) {}

  /**
   * Counts one more of `scope` (what is limited) by `subject` (who; an id, an address, the hash of something secret).
   * Whoever is over the limit is refused from memory until the window ends: a flood by one of them costs no counting.
   * @throws RefusalException 503 where the database cannot be asked
   */
  async consume(scope: string, subject: string, limit: number, windowSeconds: number): Promise<Counted> {
    const name = nameOf(scope, subject);
    let window = this.known.get(name);
    if (!window || window.used <= limit || window.endsAfterMs <= performance.now()) {
      window = await this.take(name, async (size) => {
        const counted = await this.count(scope, subject, size, limit, windowSeconds);
        this.known.set(name, counted);
        return counted;
      });
    }
    const allowed = window.used <= limit;
    // By 0 as well: the series exists from a scope's first use, so that its first refusal is seen as an increase.
    refusals.inc({ scope }, allowed ? 0 : 1);
    return { allowed, ...budget(window, limit) };
  }

  /** What this process last heard of a subject, without counting or asking: other gateways may know of more. */
  peek(scope: string, subject: string, limit: number, windowSeconds: number): Budget {
    const window = this.known.get(nameOf(scope, subject));
    if (window && window.endsBeforeMs > performance.now()) return budget(window, limit);
    return { limit, remaining: limit, resetSeconds: windowSeconds };
  }

  /** Removes windows that have ended. Gateways that sweep at the same time do not wait for one another. */
  async sweep(): Promise<void> {
    await this.source.query(
      `DELETE FROM request_counts WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM request_counts WHERE ends_at <= now() FOR UPDATE SKIP LOCKED))`,
    );
  }

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.sweep().catch((error: unknown) =>
        this.log.warn(`ended rate limit windows could not be removed yet: ${String(error)}`),
      );
    }, SWEEP_EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * A place in the window. What comes while a subject is being counted is counted together afterwards: many requests of
   * one key at once take one connection to the database, not all of them.
   */
  private async take(name: string, count: (size: number) => Promise<Window>): Promise<Window> {
    const batch = this.waiting.get(name) ?? this.openBatch(name, count);
    const place = ++batch.size;
    const window = await batch.counted;
    return { ...window, used: window.used - batch.size + place };
  }

  private openBatch(name: string, count: (size: number) => Promise<Window>): Batch {
    const before = this.counting.get(name) ?? Promise.resolve();
    const counted = before.then(() => {
      this.waiting.delete(name);
      return count(batch.size);
    });
    const batch: Batch = { size: 0, counted };
    this.waiting.set(name, batch);
    const settled: Promise<void> = counted
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => void (this.counting.get(name) === settled && this.counting.delete(name)));
    this.counting.set(name, settled);
    return batch;
  }

  private async count(
    scope: string,
    subject: string,
    size: number,
    limit: number,
    windowSeconds: number,
  ): Promise<Window> {
    const askedMs = performance.now();
    // What goes beyond the limit is not added up, but seen: by it the refused are told from the last one allowed.
    const counted = await row<{ used: string; left_ms: string }>(
      this.source,
      `INSERT INTO request_counts AS c (scope, subject, used, ends_at)
       VALUES ($1, $2, $5::bigint, now() + make_interval(secs => $4))
       ON CONFLICT (scope, subject) DO UPDATE SET
         used    = CASE WHEN c.ends_at <= now() THEN excluded.used ELSE least(c.used, $3::bigint) + excluded.used END,
         ends_at = CASE WHEN c.ends_at <= now() THEN excluded.ends_at ELSE c.ends_at END
       RETURNING used, 1000 * extract(epoch FROM ends_at - clock_timestamp()) AS left_ms`,
      [scope, subject, limit, windowSeconds, size],
    ).catch((error: unknown) => {
      throw RefusalException.of('unavailable', undefined, error);
    });
    const leftMs = Math.max(0, Number(counted!.left_ms));
    return {
      used: Number(counted!.used),
      endsAfterMs: askedMs + leftMs,
      endsBeforeMs: performance.now() + leftMs,
    };
  }
}

function budget({ used, endsBeforeMs }: Window, limit: number): Budget {
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.max(1, Math.ceil((endsBeforeMs - performance.now()) / 1000)),
  };
}

function nameOf(scope: string, subject: string): string {
  return `${scope} ${subject}`;
}
