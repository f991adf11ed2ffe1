import { accept, CheckJobsReady, type Result } from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { ObjectStore } from '@currawong/object-store';
import { Controller } from '@nestjs/common';

/** Answers only where a submission could be taken now. */
@Controller()
export class HealthController {
  constructor(
    private readonly source: DataSource,
    private readonly store: ObjectStore,
  ) {}

  @Answers(CheckJobsReady)
  async check(): Promise<Result<Record<string, never>>> {
    await Promise.all([this.source.query('SELECT 1'), this.store.check()]);
    return accept({});
  }
}
