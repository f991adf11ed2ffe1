import { DataSource, waitingForConnection } from '@currawong/database';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter } from 'prom-client';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { Dependencies } from '../health/dependencies';
import { RefusalException } from '../http/refusal.exception';
import { LoopDelay } from './loop-delay';
import { retryAfterSeconds } from './retry-after';
import { UploadsUnderWay } from './uploads-under-way';

const REASONS = ['uploads', 'account', 'loop', 'database', 'dependency'] as const;
type Reason = (typeof REASONS)[number];

const shed = new Counter({
  name: 'currawong_uploads_shed_total',
  help: 'Recordings that were refused before a byte was read, because the gateway could not have kept them',
  labelNames: ['reason'],
});
for (const reason of REASONS) shed.inc({ reason }, 0);

/** So many questions may wait for a connection of the pool before another upload would only wait longer. */
const MOST_WAITING_FOR_DATABASE = 100;
/** So long a recording waits to learn that what was missing is back. */
const SECOND_LOOK_MS = 1_000;

/**
 * Says no at once, before anything is read, to a recording that would be lost further on: better for its sender, and the
 * only way to keep those that were let in. Whoever was let in stays in.
 */
@Injectable()
export class Overload implements OnModuleDestroy {
  private readonly uploads: UploadsUnderWay;
  private readonly loop = new LoopDelay();

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly source: DataSource,
    private readonly dependencies: Dependencies,
  ) {
    this.uploads = new UploadsUnderWay(config.MAX_UPLOADS);
  }

  /** For a request that sends a recording. @throws RefusalException 503 with Retry-After */
  async admit(response: ServerResponse<IncomingMessage>): Promise<void> {
    const reason = await this.reason(response);
    if (!reason) return;
    shed.inc({ reason });
    const { refusal } = RefusalException.of(reason === 'dependency' ? 'unavailable' : 'overloaded');
    throw new RefusalException(refusal, undefined, { 'Retry-After': retryAfterSeconds() });
  }

  /** For a request that was admitted, when it is known whose it is. @throws RefusalException 429 with Retry-After */
  requireShare(response: ServerResponse<IncomingMessage>, accountId: string): void {
    if (this.uploads.belongsTo(response, accountId)) return;
    shed.inc({ reason: 'account' });
    const seconds = retryAfterSeconds();
    const detail = `This account is sending ${this.uploads.mostOfOneAccount} recordings at this moment, as many as it may. Wait ${seconds} seconds, then try again.`;
    const { refusal } = RefusalException.of('rate_limited', detail);
    throw new RefusalException(refusal, undefined, { 'Retry-After': seconds });
  }

  /** For a request whose recording is stored and whose answer is long in coming: another may take its place. */
  uploadIsOver(response: ServerResponse<IncomingMessage>): void {
    this.uploads.leave(response);
  }

  onModuleDestroy(): void {
    this.loop.close();
  }

  private async reason(response: ServerResponse<IncomingMessage>): Promise<Reason | undefined> {
    if (this.loop.meanMs() > this.config.MAX_EVENT_LOOP_DELAY_MS) return 'loop';
    if (waitingForConnection(this.source) > MOST_WAITING_FOR_DATABASE) return 'database';
    if (await this.isMissing()) return 'dependency';
    return this.uploads.enter(response) ? undefined : 'uploads';
  }

  /**
   * What was missing a moment ago may be back: looked at again before anybody is sent away for it. What is back answers in
   * milliseconds; for what hangs nobody waits until the deadline of the look.
   */
  private async isMissing(): Promise<boolean> {
    if (this.dependencies.knownMissing().length === 0) return false;
    const late = new Promise<true>((resolve) => setTimeout(() => resolve(true), SECOND_LOOK_MS).unref());
    return Promise.race([this.dependencies.missing().then((missing) => missing.length > 0), late]);
  }
}
