import { DataSource, rows } from '@currawong/database';
import { StoreUnavailable } from '@currawong/object-store';
import { Injectable, Logger } from '@nestjs/common';
import { Erasure } from '../deletion/erasure';

const PAGE = 100;
/** Each look is a few questions to the store, one after the other. */
const AT_A_TIME = 4;

/** Deletions whose objects are not known to be gone, and such as are to be looked at once more. */
@Injectable()
export class Deletions {
  private readonly log = new Logger(Deletions.name);

  constructor(
    private readonly source: DataSource,
    private readonly erasure: Erasure,
  ) {}

  /** Ends early where the store is away: the others would wait for it as long, one after the other. */
  async sweep(): Promise<void> {
    for (;;) {
      const due = await rows<{ job_id: string }>(
        this.source,
        `SELECT job_id FROM deletions WHERE look_at <= now() ORDER BY look_at LIMIT ${PAGE}`,
        [],
      );
      for (let start = 0; start < due.length; start += AT_A_TIME) {
        const looks = due.slice(start, start + AT_A_TIME).map(({ job_id }) => this.look(job_id));
        if ((await Promise.all(looks)).includes('store away')) return;
      }
      if (due.length < PAGE) return;
    }
  }

  private async look(jobId: string): Promise<'done' | 'failed' | 'store away'> {
    try {
      await this.erasure.look(jobId);
      return 'done';
    } catch (error) {
      this.log.warn(`job ${jobId} is not erased yet: ${String(error)}`);
      return error instanceof StoreUnavailable && error.transient ? 'store away' : 'failed';
    }
  }
}
