import type { PriceOption, StatementLine } from '@currawong/contracts';
import { centsAud, exactAud, gstIncludedCents, priceMicroAud } from '../ledger/amounts';

/** A transaction that a customer sees, with what the journal and the hold say about it. */
export interface LineRow {
  id: string;
  kind: 'open_account' | 'top_up' | 'adjustment' | 'capture' | 'release';
  reference: string;
  reason: string | null;
  booked_at: Date;
  job_id: string | null;
  key_id: string | null;
  option: PriceOption | null;
  price_per_minute_micro_aud: string | null;
  captured_free_seconds: string | null;
  captured_paid_seconds: string | null;
  hold_free_seconds: string | null;
  hold_paid_seconds: string | null;
  micro_aud: string;
  free_seconds: string;
  balance_after_micro_aud: string;
  free_seconds_after: string;
}

/** @param withGst whether the supplier is registered, so that its prices contain GST */
export function lineFrom(row: LineRow, withGst: boolean): StatementLine {
  const microAud = BigInt(row.micro_aud);
  const isJob = row.kind === 'capture';
  return {
    id: row.id,
    booked_at: row.booked_at.toISOString(),
    kind: KINDS[row.kind],
    description: descriptionOf(row),
    job_id: row.job_id,
    key_id: row.key_id,
    audio_seconds: isJob ? Number(row.captured_free_seconds) + Number(row.captured_paid_seconds) : null,
    price_per_minute_aud: isJob ? exactAud(BigInt(row.price_per_minute_micro_aud!)) : null,
    amount_aud: exactAud(microAud),
    gst_aud: row.kind === 'top_up' && withGst ? centsAud(gstIncludedCents(microAud)) : null,
    free_seconds: Number(row.free_seconds),
    balance_after_aud: exactAud(BigInt(row.balance_after_micro_aud)),
    free_seconds_after: Number(row.free_seconds_after),
  };
}

const KINDS = {
  open_account: 'free_minutes',
  top_up: 'top_up',
  adjustment: 'adjustment',
  capture: 'job',
  release: 'release',
} as const;

function descriptionOf(row: LineRow): string {
  switch (row.kind) {
    case 'open_account':
      return `Free transcription for the new account: ${duration(BigInt(row.free_seconds))}.`;
    case 'top_up':
      return row.reference.startsWith('stripe:')
        ? 'Top-up of the prepaid credit, paid by card.'
        : `Top-up of the prepaid credit: ${sentence(row.reason!)}`;
    case 'adjustment':
      return `Credit added: ${sentence(row.reason!)}`;
    case 'capture':
      return jobDescription(row);
    case 'release':
      return `Nothing was charged for this job. What had been set aside is available again: ${setAside(row)}.`;
  }
}

function jobDescription(row: LineRow): string {
  const [free, paid] = [BigInt(row.captured_free_seconds!), BigInt(row.captured_paid_seconds!)];
  const what =
    row.option === 'analysis'
      ? 'Transcription with speakers, tone and sentiment'
      : 'Transcription with speakers';
  const covered = free === 0n ? '' : paid === 0n ? ', all of it free' : `, ${duration(free)} of it free`;
  return `${what} of ${duration(free + paid)} of audio${covered}.`;
}

function setAside(row: LineRow): string {
  const [free, paid] = [BigInt(row.hold_free_seconds!), BigInt(row.hold_paid_seconds!)];
  const money = `AUD ${shortened(priceMicroAud(paid, BigInt(row.price_per_minute_micro_aud!)))}`;
  if (free === 0n) return money;
  return paid === 0n ? `${duration(free)} of free audio` : `${money} and ${duration(free)} of free audio`;
}

/** Exact, with two decimals at least. */
function shortened(microAud: bigint): string {
  return exactAud(microAud).replace(/0{1,4}$/, '');
}

function duration(seconds: bigint): string {
  const [minutes, rest] = [seconds / 60n, seconds % 60n];
  if (minutes === 0n) return `${rest} s`;
  return rest === 0n ? `${minutes} min` : `${minutes} min ${rest} s`;
}

/** The operator's words, ended as a sentence is. */
function sentence(words: string): string {
  const trimmed = words.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
