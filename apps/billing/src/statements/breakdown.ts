import { accept, type GetUsageBreakdown, refuse, type ReplyOf, type Result } from '@currawong/contracts';
import { DataSource, type EntityManager, row, rows } from '@currawong/database';
import { Injectable } from '@nestjs/common';
import { exactAud } from '../ledger/amounts';
import { type SydneyMonth, sydneyMonth } from './months';

type Breakdown = ReplyOf<typeof GetUsageBreakdown>;

/** Who and when used what: the captured holds of a month, per day in Sydney and per key. */
@Injectable()
export class Breakdowns {
  constructor(private readonly source: DataSource) {}

  /** Refuses with `account_not_found`, and with `invalid_parameter` for a month that has not begun. */
  async of(accountId: string, month?: string): Promise<Result<Breakdown>> {
    return this.source.transaction('REPEATABLE READ', async (manager) => {
      const wanted = await sydneyMonth(manager, month);
      if (!wanted.ok) return wanted;
      const account = await row(manager, 'SELECT FROM balances WHERE account_id = $1', [accountId]);
      if (!account) return refuse('account_not_found');
      const cells = await cellsOf(manager, accountId, wanted.value);
      return accept({ month: wanted.value.month, days: byDay(cells, wanted.value), keys: byKey(cells) });
    });
  }
}

/** One day and key. */
interface Cell {
  date: string;
  key_id: string | null;
  jobs: string;
  audio_seconds: string;
  micro_aud: string;
}

function byDay(cells: Cell[], { month, lastDay, today }: SydneyMonth): Breakdown['days'] {
  const days = Number((today ?? lastDay).slice(-2));
  return Array.from({ length: days }, (_, index) => {
    const date = `${month}-${String(index + 1).padStart(2, '0')}`;
    return { date, ...summed(cells.filter((cell) => cell.date === date)) };
  });
}

/** The one that was used most first. */
function byKey(cells: Cell[]): Breakdown['keys'] {
  const keys = [...new Set(cells.map(({ key_id }) => key_id))];
  return keys
    .map((key_id) => ({ key_id, ...summed(cells.filter((cell) => cell.key_id === key_id)) }))
    .sort((left, right) => right.audio_seconds - left.audio_seconds);
}

function summed(cells: Cell[]) {
  const total = (of: 'jobs' | 'audio_seconds' | 'micro_aud') =>
    cells.reduce((sum, cell) => sum + BigInt(cell[of]), 0n);
  return {
    audio_seconds: Number(total('audio_seconds')),
    jobs: Number(total('jobs')),
    cost_aud: exactAud(total('micro_aud')),
  };
}

function cellsOf(manager: EntityManager, accountId: string, month: SydneyMonth): Promise<Cell[]> {
  return rows<Cell>(
    manager,
    `SELECT (captured_at AT TIME ZONE 'Australia/Sydney')::date::text AS date, key_id, count(*) AS jobs,
            sum(captured_free_seconds + captured_paid_seconds)::bigint AS audio_seconds,
            sum(charged_micro_aud)::bigint AS micro_aud
       FROM holds
      WHERE account_id = $1 AND state = 'captured'
        AND captured_at >= $2::timestamp AT TIME ZONE 'Australia/Sydney'
        AND captured_at < ($3::timestamp + interval '1 day') AT TIME ZONE 'Australia/Sydney'
      GROUP BY 1, 2 ORDER BY 1, 2`,
    [accountId, month.firstDay, month.lastDay],
  );
}
