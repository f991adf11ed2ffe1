import {
  GetStatement,
  StatementQuery,
  type Owner,
  type Statement,
  type PayloadOf,
  type ReplyOf,
} from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Controller, Get, Logger, Query, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { Accounts } from '../accounts/accounts';
import { Caller, CallerGuard } from '../http/caller';
import { parse } from '../http/parse';
import { valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { statementCsv } from './statement-csv';

/** Of JSON a page, of CSV what is read from billing at a time. */
const LINES_PER_PAGE = 500;

type Page = ReplyOf<typeof GetStatement>;

/** A month of an account's money, line by line, as its bookkeeper wants it. */
@Controller(versioned('statement'))
@UseGuards(CallerGuard)
export class StatementController {
  private readonly log = new Logger(StatementController.name);

  constructor(
    private readonly requester: Requester,
    private readonly accounts: Accounts,
  ) {}

  @Get()
  async statement(
    @Caller() { account_id }: Owner,
    @Query() query: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const { month, format, after = null } = parse(StatementQuery, query);
    const first = await this.page({ account_id, month, after, limit: LINES_PER_PAGE });
    if (format === 'csv') return this.sendCsv(account_id, first, response);
    const { name, email } = await this.accounts.describe(account_id);
    response.json({ ...first, customer: { name, email } } satisfies Statement);
  }

  private async sendCsv(accountId: string, first: Page, response: Response): Promise<void> {
    response.setHeader('Content-Type', 'text/csv; charset=utf-8; header=present');
    response.setHeader(
      'Content-Disposition',
      `attachment; filename="currawong-statement-${first.month}.csv"`,
    );
    try {
      await pipeline(statementCsv(this.linesFrom(accountId, first)), response);
    } catch (error) {
      // The status was sent long ago: an answer that breaks off is how the client learns that lines are missing.
      if (!isClientGone(error)) this.log.error(error instanceof Error ? error : String(error));
    }
  }

  /** Every line of the month. Lines are only ever added at the end, so pages do not shift while they are read. */
  private async *linesFrom(accountId: string, first: Page) {
    yield* first.lines;
    for (let after = first.next_after; after !== null;) {
      const page = await this.page({
        account_id: accountId,
        month: first.month,
        after,
        limit: LINES_PER_PAGE,
      });
      yield* page.lines;
      after = page.next_after;
    }
  }

  private async page(wanted: PayloadOf<typeof GetStatement>): Promise<Page> {
    return valueOf(await this.requester.ask(GetStatement, wanted));
  }
}

function isClientGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
