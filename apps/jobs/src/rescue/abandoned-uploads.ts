import { rows, DataSource } from '@currawong/database';
import { Injectable, Logger } from '@nestjs/common';
import { Discard } from '../intake/discard';
import { uploadsAbandoned } from '../metrics/metrics';
import { sweepKeys } from '../storage/idempotency-records';
import { forEveryRow } from './every-row';

/** A discard undoes itself within this. */
const UNDO_AFTER_SECONDS = 5;
/** As a rule nothing is under way any more for a discarded job: no part that is being stored, no piece of work. */
const LOOK_AGAIN_AFTER_SECONDS = 600;
/** Longer than any machine stands still that is then of use again: see the looks at deleted jobs. */
const ERASE_AFTER_SECONDS = 86_400;

/** SQL: for which the last look is yet to come that is not the end of the row. As its index has it. */
const NOT_LOOKED_AT_AGAIN = `(cleared_at IS NULL OR cleared_at - changed_at < interval '${LOOK_AGAIN_AFTER_SECONDS} seconds')`;

/** Uploads whose gateway died, and discarded jobs whose traces are to go. */
@Injectable()
export class AbandonedUploads {
  private readonly log = new Logger(AbandonedUploads.name);

  constructor(
    private readonly source: DataSource,
    private readonly discarding: Discard,
  ) {}

  sweepAbandoned(): Promise<void> {
    return forEveryRow(
      (afterId, limit) =>
        rows<{ id: string }>(
          this.source,
          "SELECT id FROM jobs WHERE state = 'uploading' AND upload_expires_at < now() AND id > $1 ORDER BY id LIMIT $2",
          [afterId, limit],
        ),
      async ({ id }) => {
        if (!(await this.discarding.abandon(id))) return;
        uploadsAbandoned.inc();
        this.log.log(`upload ${id} was abandoned: discarded`);
      },
      ({ id }, error) => this.log.warn(`upload ${id} is not discarded yet: ${String(error)}`),
    );
  }

  /** Keys that clients gave their requests, once these are a day old. */
  sweepKeys(): Promise<void> {
    return sweepKeys(this.source);
  }

  /** What could not be undone at once: billing or the store was away, or we were. */
  sweepDiscarded(): Promise<void> {
    return this.forEveryDiscarded('cleared_at IS NULL', UNDO_AFTER_SECONDS, (id) => this.discarding.undo(id));
  }

  /** What was stored for them after they were discarded; a day later the row goes with it. */
  async sweepErasable(): Promise<void> {
    await this.forEveryDiscarded(NOT_LOOKED_AT_AGAIN, LOOK_AGAIN_AFTER_SECONDS, (id) =>
      this.discarding.undo(id),
    );
    await this.forEveryDiscarded('TRUE', ERASE_AFTER_SECONDS, (id) => this.discarding.erase(id));
  }

  private forEveryDiscarded(
    condition: 'cleared_at IS NULL' | typeof NOT_LOOKED_AT_AGAIN | 'TRUE',
    afterSeconds: number,
    rescue: (id: string) => Promise<void>,
  ): Promise<void> {
    return forEveryRow(
      (afterId, limit) =>
        rows<{ id: string }>(
          this.source,
          `SELECT id FROM jobs WHERE state = 'discarded' AND ${condition} AND id > $2
              AND changed_at < now() - make_interval(secs => $1) ORDER BY id LIMIT $3`,
          [afterSeconds, afterId, limit],
        ),
      ({ id }) => rescue(id),
      ({ id }, error) => this.log.warn(`discarded job ${id} is not undone yet: ${String(error)}`),
    );
  }
}
