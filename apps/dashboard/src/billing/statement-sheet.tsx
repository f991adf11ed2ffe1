import type { Statement, StatementLine } from '@currawong/contracts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { exactMoney } from '../format/money';
import { calendarMonth, inWords } from '../format/time';
import { columnAmount, isNothing } from './amounts';
import { sydneyDay, sydneyDayTime } from './months';

interface SheetProps {
  statement: Statement;
  lines: StatementLine[];
  /** What leads to further lines, where there are any. */
  more: ReactNode;
}

/** A statement as it stands on paper. */
export function StatementSheet({ statement, lines, more }: SheetProps) {
  return (
    <article className="sheet">
      <Head statement={statement} />
      <Totals statement={statement} />
      {lines.length === 0 ? (
        <p className="soft">Nothing was booked in {calendarMonth(statement.month)}.</p>
      ) : (
        <Lines lines={lines} withGst={statement.tax_invoice} />
      )}
      {more && <p className="sheet-more">{more}</p>}
      <p className="small soft">
        Amounts are in Australian dollars; days are those of Sydney. Charges are exact to a millionth of a
        dollar.
      </p>
    </article>
  );
}

function Head({ statement }: { statement: Statement }) {
  const { supplier, customer, tax_invoice, invoice_number, issued_on, period_start, period_end } = statement;
  return (
    <header className="sheet-head">
      <h2>{tax_invoice ? 'Tax invoice and statement' : 'Statement'}</h2>
      <dl className="sheet-parties">
        <div>
          <dt>From</dt>
          <dd>
            <strong>{supplier.name}</strong>
          </dd>
          {supplier.abn && <dd className="number">ABN {supplier.abn}</dd>}
          {supplier.address && <dd>{supplier.address}</dd>}
        </div>
        <div>
          <dt>For</dt>
          <dd>
            <strong>{customer.name ?? customer.email}</strong>
          </dd>
          {customer.name && <dd>{customer.email}</dd>}
        </div>
        <div>
          <dt>Period</dt>
          <dd>
            {sydneyDay(period_start)} to {sydneyDay(period_end)}
          </dd>
          {invoice_number && <dd className="number">Number {invoice_number}</dd>}
          <dd>Issued {sydneyDay(issued_on)}</dd>
        </div>
      </dl>
    </header>
  );
}

function Totals({ statement }: { statement: Statement }) {
  const { totals, held_aud, opening_balance_aud, closing_balance_aud, closing_free_seconds, tax_invoice } =
    statement;
  return (
    <table className="table sheet-totals">
      <caption className="visually-hidden">Totals of the month</caption>
      <tbody>
        <Total name="Opening balance" aud={opening_balance_aud} />
        <Total
          name="Topped up"
          note={tax_invoice ? `GST of ${exactMoney(totals.gst_included_aud)} included` : undefined}
          aud={totals.topped_up_aud}
        />
        {!isNothing(totals.adjusted_aud) && <Total name="Credit added" aud={totals.adjusted_aud} />}
        <Total
          name="Used"
          note={`${totals.jobs === 1 ? '1 job' : `${totals.jobs.toLocaleString('en-AU')} jobs`}, ${inWords(totals.audio_seconds)} of audio`}
          aud={negative(totals.used_aud)}
        />
        <Total
          strong
          name={held_aud === null ? 'Closing balance' : 'Balance now'}
          note={closing_free_seconds > 0 ? `and ${inWords(closing_free_seconds)} free` : undefined}
          aud={closing_balance_aud}
        />
        {held_aud !== null && !isNothing(held_aud) && (
          <Total name="Of this set aside" note="for jobs that are not finished" aud={held_aud} />
        )}
      </tbody>
    </table>
  );
}

function Total({
  name,
  note,
  aud,
  strong = false,
}: {
  name: string;
  note?: string | undefined;
  aud: string;
  strong?: boolean;
}) {
  return (
    <tr className={strong ? 'sheet-total-strong' : undefined}>
      <th scope="row">
        {name}
        {note && <span className="sheet-note">{note}</span>}
      </th>
      <td className="right">
        <Amount aud={aud} />
      </td>
    </tr>
  );
}

function negative(aud: string): string {
  return isNothing(aud) || aud.startsWith('-') ? aud : `-${aud}`;
}

function Lines({ lines, withGst }: { lines: StatementLine[]; withGst: boolean }) {
  return (
    <table className="table sheet-lines">
      <caption className="visually-hidden">Lines in the order of booking</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          {withGst && (
            <th scope="col" className="right sheet-gst">
              GST
            </th>
          )}
          <th scope="col" className="right">
            Amount
          </th>
          <th scope="col" className="right sheet-after">
            Balance after
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <Line key={line.id} line={line} withGst={withGst} />
        ))}
      </tbody>
    </table>
  );
}

function Line({ line, withGst }: { line: StatementLine; withGst: boolean }) {
  return (
    <tr>
      <td className="sheet-when number">{sydneyDayTime(line.booked_at)}</td>
      <td className="sheet-what">
        {line.description}
        {line.job_id && (
          <>
            {' '}
            <Link href={`/jobs/${line.job_id}`} className="sheet-job">
              Job<span className="visually-hidden"> of {sydneyDayTime(line.booked_at)}</span>
            </Link>
          </>
        )}
      </td>
      {withGst && <td className="right number sheet-gst">{line.gst_aud && exactMoney(line.gst_aud)}</td>}
      <td className="right">{isNothing(line.amount_aud) ? <Nothing /> : <Amount aud={line.amount_aud} />}</td>
      <td className="right sheet-after">
        <Amount aud={line.balance_after_aud} />
      </td>
    </tr>
  );
}

function Amount({ aud }: { aud: string }) {
  const { toCents, belowCents } = columnAmount(aud);
  return (
    <span className="number">
      {toCents}
      <span className="below-cents">{belowCents}</span>
    </span>
  );
}

function Nothing() {
  return (
    <span className="number soft">
      $0.00
      <span className="below-cents" />
    </span>
  );
}
