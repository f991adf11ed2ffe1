import type { StatementLine } from '@currawong/contracts';
import { stringify } from 'csv-stringify';
import { Readable } from 'node:stream';

/** In this order. Names are those of the JSON form, so that both can be read with the same eyes. */
export const CSV_COLUMNS = [
  'booked_at',
  'kind',
  'description',
  'job_id',
  'key_id',
  'audio_seconds',
  'price_per_minute_aud',
  'amount_aud',
  'gst_aud',
  'free_seconds',
  'balance_after_aud',
  'free_seconds_after',
  'id',
] as const satisfies readonly (keyof StatementLine)[];

/** Lines as CSV by RFC 4180 with a header line, made as they are read: a month of a busy account is never in memory. */
export function statementCsv(lines: AsyncIterable<StatementLine>): Readable {
  const rows = Readable.from(rowsOf(lines));
  const csv = stringify({ header: true, columns: [...CSV_COLUMNS], record_delimiter: 'windows' });
  rows.on('error', (error) => csv.destroy(error));
  csv.on('close', () => rows.destroy());
  return rows.pipe(csv);
}

async function* rowsOf(lines: AsyncIterable<StatementLine>) {
  for await (const line of lines) {
    yield CSV_COLUMNS.map((column) =>
      column === 'description' ? asSpreadsheetText(line.description) : line[column],
    );
  }
}

/**
 * A file name may be `=HYPERLINK(…)`, and a spreadsheet would run it. An apostrophe in front makes it text. Amounts are
 * ours and may begin with a minus.
 */
function asSpreadsheetText(text: string): string {
  return /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}
