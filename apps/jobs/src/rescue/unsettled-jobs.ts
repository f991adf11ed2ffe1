import { rows, DataSource } from '@currawong/database';
import { Injectable, Logger } from '@nestjs/common';
import { Settlement } from '../results/settlement';
import { forEveryRow } from './every-row';

/** Jobs whose outcome is decided and whose money is not: billing was away, or we were. */
@Injectable()
export class UnsettledJobs {
  private readonly log = new Logger(UnsettledJobs.name);

  constructor(
    private readonly source: DataSource,
    private readonly settlement: Settlement,
  ) {}

  sweep(): Promise<void> {
    return forEveryRow(
      (afterId, limit) =>
        rows<{ id: string }>(
          this.source,
          `SELECT id FROM jobs WHERE state = 'settling' AND changed_at < now() - interval '2 seconds' AND id > $1
            ORDER BY id LIMIT $2`,
          [afterId, limit],
        ),
      ({ id }) => this.settlement.settle(id),
      ({ id }, error) => this.log.warn(`job ${id} is not settled yet: ${String(error)}`),
    );
  }
}
