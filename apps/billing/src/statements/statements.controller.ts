import {
  GetStatement,
  GetUsageBreakdown,
  type PayloadOf,
  type ReplyOf,
  type Result,
} from '@currawong/contracts';
import { Answers } from '@currawong/messaging';
import { Controller } from '@nestjs/common';
import { Breakdowns } from './breakdown';
import { Statements } from './statements';

/** What a customer's own books look like. */
@Controller()
export class StatementsController {
  constructor(
    private readonly statements: Statements,
    private readonly breakdowns: Breakdowns,
  ) {}

  @Answers(GetStatement)
  statement(wanted: PayloadOf<typeof GetStatement>): Promise<Result<ReplyOf<typeof GetStatement>>> {
    const { account_id: accountId, month, after, limit } = wanted;
    return this.statements.page({ accountId, month, after, limit });
  }

  @Answers(GetUsageBreakdown)
  breakdown({ account_id, month }: PayloadOf<typeof GetUsageBreakdown>): Promise<Result<UsedInMonth>> {
    return this.breakdowns.of(account_id, month);
  }
}

type UsedInMonth = ReplyOf<typeof GetUsageBreakdown>;
