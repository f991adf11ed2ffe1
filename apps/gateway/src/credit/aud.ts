const MICRO_PER_AUD = 1_000_000;
const MICRO_PER_CENT = 10_000;

/** Two decimals, rounded down: a customer is never shown more than is there. */
export function centsDown(microAud: number): string {
  return cents(Math.floor(microAud / MICRO_PER_CENT));
}

/** Two decimals, rounded up: a customer is never shown less than was used. */
export function centsUp(microAud: number): string {
  return cents(Math.ceil(microAud / MICRO_PER_CENT));
}

/** As a JSON number, to the micro-AUD. */
export function audNumber(microAud: number): number {
  return microAud / MICRO_PER_AUD;
}

function cents(wholeCents: number): string {
  const sign = wholeCents < 0 ? '-' : '';
  const digits = String(Math.abs(wholeCents)).padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Of an amount such as `12` or `12.5`, digit by digit: floating point would make 12.10 a little less. */
export function microAudOf(amountAud: string): number {
  const [whole = '0', fraction = ''] = amountAud.split('.');
  return Number(whole) * MICRO_PER_AUD + Number(fraction.padEnd(6, '0'));
}
