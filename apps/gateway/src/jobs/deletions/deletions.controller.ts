import {
  DeleteJob,
  GetDeletion,
  ListDeletions,
  type DeletionList,
  type DeletionReceipt,
  type Owner,
} from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Controller, Delete, Get, Param, Query, UseGuards } from '@nestjs/common';
import { Caller, CallerGuard, CallerKeyId } from '../../http/caller';
import { parse } from '../../http/parse';
import { RefusalException, valueOf } from '../../http/refusal.exception';
import { versioned } from '../../http/versioned';
import { jobIdFrom } from '../job-id';
import { PageQuery } from '../list-query';

/** Cancelling and deleting jobs, and the receipts of it, which stay. */
@Controller()
@UseGuards(CallerGuard)
export class DeletionsController {
  constructor(private readonly requester: Requester) {}

  @Delete(versioned('jobs/:id'))
  async delete(
    @Caller() caller: Owner,
    @CallerKeyId() key_id: string | null,
    @Param('id') id: string,
  ): Promise<DeletionReceipt> {
    const requested_by = key_id === null ? 'session' : 'key';
    const wanted = { ...caller, job_id: jobIdFrom(id), requested_by, key_id } as const;
    return valueOf(await this.requester.ask(DeleteJob, wanted));
  }

  @Get(versioned('jobs/:id/deletion'))
  async get(@Caller() caller: Owner, @Param('id') id: string): Promise<DeletionReceipt> {
    return valueOf(await this.requester.ask(GetDeletion, { ...caller, job_id: receiptIdFrom(id) }));
  }

  @Get(versioned('deletions'))
  async list(@Caller() caller: Owner, @Query() query: unknown): Promise<DeletionList> {
    const { page, page_size } = parse(PageQuery, query);
    const { deletions, total } = valueOf(
      await this.requester.ask(ListDeletions, { ...caller, page, page_size }),
    );
    return { deletions, total, page, page_size, total_pages: Math.ceil(total / page_size) };
  }
}

/** A malformed one gets the answer of an unknown one. */
function receiptIdFrom(sent: string): string {
  try {
    return jobIdFrom(sent);
  } catch {
    throw RefusalException.of('deletion_not_found');
  }
}
