import type { AccountBody, AccountState } from '@currawong/contracts';

/** A row of `accounts`. */
export interface AccountRecord {
  id: string;
  email: string;
  name: string | null;
  state: AccountState;
  created_at: Date;
  /** A PHC string. */
  password_hash: string | null;
  email_confirmed_at: Date | null;
  audio_retention_days: number;
  transcript_retention_days: number | null;
  closed_at: Date | null;
  /** A whole number as text, as the driver gives a bigint. */
  low_balance_notice_micro_aud: string | null;
}

/** An account as its holder sees it. */
export function asAccountBody(account: AccountRecord): AccountBody {
  const notice = account.low_balance_notice_micro_aud;
  return {
    id: account.id,
    email: account.email,
    email_confirmed: account.email_confirmed_at !== null,
    name: account.name,
    state: account.state,
    created_at: account.created_at.toISOString(),
    has_password: account.password_hash !== null,
    audio_retention_days: account.audio_retention_days,
    transcript_retention_days: account.transcript_retention_days,
    low_balance_notice_aud: notice === null ? null : exactAud(BigInt(notice)),
  };
}

/** Micro-AUD that are not negative as text: 2000000n is "2.000000". */
function exactAud(microAud: bigint): string {
  return `${microAud / 1_000_000n}.${String(microAud % 1_000_000n).padStart(6, '0')}`;
}
