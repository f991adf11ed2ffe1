import { exactMoney } from '../format/money';

/** An amount in a column: cents stand under cents, and what is below a cent may be set smaller. */
export interface ColumnAmount {
  /** `−$1,234.56` */
  toCents: string;
  /** Up to four digits below a cent; empty where they are all zero. */
  belowCents: string;
}

/** @param aud such as `"-1234.560000"`; never a number, which would round it */
export function columnAmount(aud: string): ColumnAmount {
  const text = exactMoney(aud);
  const cents = text.indexOf('.') + 3;
  return { toCents: text.slice(0, cents), belowCents: text.slice(cents) };
}

/** Without cents where there are none: `$25`, `$12.50`. */
export function shortAmount(aud: string): string {
  return exactMoney(aud).replace(/\.00$/, '');
}

export function isNothing(aud: string): boolean {
  return !/[1-9]/.test(aud);
}

/** What somebody typed as an amount, or what is wrong with it. */
export type TypedAmount = { amountAud: string } | { problem: string };

/**
 * Reads an amount as people type it: `25`, `$25.50`, `1,000`, `AUD 40`. Never guesses: `12,50` may be twelve dollars
 * or a thousand and more, so it is asked again.
 */
export function typedAmount(text: string, minimumAud: string, maximumAud: string): TypedAmount {
  const bare = text
    .trim()
    .replace(/^(?:A\$|AUD|\$)\s*/i, '')
    .replace(/\s*AUD$/i, '');
  if (bare === '') return { problem: 'Enter an amount.' };
  if (!/^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d{1,2})?$/.test(bare)) {
    return { problem: 'Enter an amount in Australian dollars such as 25 or 12.50.' };
  }
  const amountAud = bare.replaceAll(',', '').replace(/^0+(?=\d)/, '');
  const cents = centsOf(amountAud);
  if (cents < centsOf(minimumAud)) return { problem: `The least is ${shortAmount(minimumAud)}.` };
  if (cents > centsOf(maximumAud)) return { problem: `The most is ${shortAmount(maximumAud)}.` };
  return { amountAud };
}

/** Amounts to offer for one press: round ones within the limits. */
export function offeredAmounts(minimumAud: string, maximumAud: string): string[] {
  return ['10', '25', '50', '100', '250'].filter(
    (amount) => centsOf(amount) >= centsOf(minimumAud) && centsOf(amount) <= centsOf(maximumAud),
  );
}

function centsOf(aud: string): bigint {
  const [whole, places = ''] = aud.split('.');
  return BigInt(whole! + places.padEnd(2, '0').slice(0, 2));
}
