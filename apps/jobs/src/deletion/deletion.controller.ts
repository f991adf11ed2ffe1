import {
  accept,
  DeleteJob,
  GetDeletion,
  ListDeletions,
  refuse,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { DataSource } from '@currawong/database';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { asDeletion, findOwnedDeletion, listOwnedDeletions } from '../storage/deletion-records';
import { Deleting } from './deleting';

/** Deletions and their receipts. What another account deleted is not there. */
@Controller()
export class DeletionController {
  constructor(
    private readonly source: DataSource,
    private readonly deleting: Deleting,
  ) {}

  @Answers(DeleteJob)
  async delete({
    account_id,
    mode,
    job_id,
    requested_by,
    key_id,
  }: PayloadOf<typeof DeleteJob>): Promise<Result<ReplyOf<typeof DeleteJob>>> {
    const cause = { reason: 'client', requested_by, key_id } as const;
    const deleted = await this.deleting.delete({ account_id, mode }, job_id, cause);
    return deleted.ok ? accept(asDeletion(deleted.value)) : deleted;
  }

  @Answers(GetDeletion)
  async get({
    job_id,
    ...owner
  }: PayloadOf<typeof GetDeletion>): Promise<Result<ReplyOf<typeof GetDeletion>>> {
    const deletion = await findOwnedDeletion(this.source, owner, job_id);
    return deletion ? accept(asDeletion(deletion)) : refuse('deletion_not_found');
  }

  @Answers(ListDeletions)
  async list({
    page,
    page_size,
    ...owner
  }: PayloadOf<typeof ListDeletions>): Promise<Result<ReplyOf<typeof ListDeletions>>> {
    const { deletions, total } = await listOwnedDeletions(this.source, owner, { page, pageSize: page_size });
    return accept({ deletions: deletions.map(asDeletion), total });
  }
}
