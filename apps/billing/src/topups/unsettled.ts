import { Injectable, Logger } from '@nestjs/common';
import { topUpsChanged } from '../storage/metrics';
import { TopUps } from '../storage/top-ups';
import { Payments } from './payments';
import { TopUpTerms } from './terms';

const ENOUGH_FAILURES = 3;

/** Finds top-ups whose event never came, or that a crash left at their start. */
@Injectable()
export class UnsettledTopUps {
  private readonly log = new Logger(UnsettledTopUps.name);

  constructor(
    private readonly topUps: TopUps,
    private readonly payments: Payments,
    private readonly terms: TopUpTerms,
  ) {}

  /** Asks the payment provider about each, until `signal`; one that it cannot tell about now comes up again. */
  async sweep(olderThanSeconds = 600, signal?: AbortSignal): Promise<void> {
    const { provider } = this.terms;
    if (!provider) return;
    let failuresInARow = 0;
    for (;;) {
      const unsettled = await this.topUps.takeUnsettled(olderThanSeconds);
      if (unsettled.length === 0) return;
      for (const { id, session_id } of unsettled) {
        // A provider that is away would cost every single one its time-out.
        if (signal?.aborted || failuresInARow === ENOUGH_FAILURES) return;
        try {
          if (session_id !== null) await this.payments.take(id, await provider.ask(session_id));
          else await this.giveUp(id);
          failuresInARow = 0;
        } catch (error) {
          failuresInARow += 1;
          this.log.warn(`top-up ${id}: asking the payment provider failed: ${String(error)}`);
        }
      }
    }
  }

  /** The customer never got the address of a page. Should a page be paid on all the same, its event books it. */
  private async giveUp(id: string): Promise<void> {
    const given = await this.topUps.giveUp(id, 'the service stopped before a page was opened');
    topUpsChanged.inc({ state: 'failed' }, given);
  }
}
