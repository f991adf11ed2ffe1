const MINUS = '\u2212';

/**
 * An amount in AUD exactly as it is, with at least two decimals: `"0.013333"` gives `$0.013333`, `"12.500000"` gives
 * `$12.50`. The API's texts are never turned into floating point.
 */
export function exactMoney(aud: string): string {
  const { negative, dollars, decimals } = parts(aud);
  const kept = decimals.replace(/0+$/, '').padEnd(2, '0');
  return `${negative ? MINUS : ''}$${grouped(dollars)}.${kept}`;
}

/** The same to the cent, rounded half away from zero: for headings and sums, where the exact amount stands elsewhere. */
export function roundedMoney(aud: string): string {
  const { negative, dollars, decimals } = parts(aud);
  const thousandths = decimals.padEnd(3, '0').slice(0, 3);
  const cents = (BigInt(dollars + thousandths) + 5n) / 10n;
  const text = cents.toString().padStart(3, '0');
  const sign = negative && cents > 0n ? MINUS : '';
  return `${sign}$${grouped(text.slice(0, -2))}.${text.slice(-2)}`;
}

/** Of the few amounts that the API gives as numbers: exact, because they have at most six decimals. */
export function numberMoney(aud: number): string {
  return exactMoney(aud.toFixed(6));
}

function parts(aud: string): { negative: boolean; dollars: string; decimals: string } {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(aud);
  if (!match) throw new Error(`Not an amount: ${aud}`);
  return { negative: match[1] === '-', dollars: match[2]!, decimals: match[3] ?? '' };
}

function grouped(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '').replace(/\B(?=(\d{3})+$)/g, ',');
}
