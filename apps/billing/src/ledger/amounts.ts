/** An amount of each of the two units that the ledger knows; they are never exchanged for one another. */
export interface Amounts {
  /** 10^-6 AUD. */
  microAud: bigint;
  /** Seconds of audio given away, not bought. */
  freeSeconds: bigint;
}

export const NOTHING: Amounts = { microAud: 0n, freeSeconds: 0n };

export function add(left: Amounts, right: Amounts): Amounts {
  return { microAud: left.microAud + right.microAud, freeSeconds: left.freeSeconds + right.freeSeconds };
}

export function subtract(left: Amounts, right: Amounts): Amounts {
  return { microAud: left.microAud - right.microAud, freeSeconds: left.freeSeconds - right.freeSeconds };
}

/** What whole seconds cost, rounded half up to a micro-AUD. Neither argument is ever negative. */
export function priceMicroAud(seconds: bigint, pricePerMinuteMicroAud: bigint): bigint {
  return (seconds * pricePerMinuteMicroAud + 30n) / 60n;
}

/** The GST contained in a price, one eleventh of it, in whole cents, rounded half up. */
export function gstIncludedCents(microAud: bigint): bigint {
  return (microAud + 55_000n) / 110_000n;
}

/** An exact amount as text, six decimals: `-0.013333`. */
export function exactAud(microAud: bigint): string {
  return microAud < 0n ? `-${withDecimals(-microAud, 6)}` : withDecimals(microAud, 6);
}

/** Whole cents as text, two decimals. */
export function centsAud(cents: bigint): string {
  return withDecimals(cents, 2);
}

/** Two decimals for a person, never more than what is there. */
export function audRoundedDown(microAud: bigint): string {
  return inAud(microAud / 10_000n);
}

/** Two decimals for a person, never less than what is asked. */
export function audRoundedUp(microAud: bigint): string {
  return inAud((microAud + 9_999n) / 10_000n);
}

/** One decimal for a person, never more than what is there. */
export function minutesRoundedDown(seconds: bigint): string {
  return withDecimals(seconds / 6n, 1);
}

/** One decimal for a person, never less than what is asked. */
export function minutesRoundedUp(seconds: bigint): string {
  return withDecimals((seconds + 5n) / 6n, 1);
}

function inAud(cents: bigint): string {
  return `AUD ${withDecimals(cents, 2)}`;
}

function withDecimals(digits: bigint, decimals: number): string {
  const text = digits.toString().padStart(decimals + 1, '0');
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}
