import { z } from 'zod';

/** `true`, `1`, `yes`, `on` and their opposites, whatever the case. */
export const booleanVariable = () =>
  z
    .string()
    .toLowerCase()
    .refine((value) => TRUE.has(value) || FALSE.has(value), 'must be true or false')
    .transform((value) => TRUE.has(value));

/** A whole number within the limits, both included. */
export const integerVariable = ({
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
}: { min?: number; max?: number } = {}) => {
  const text =
    max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^-?\d{1,15}$/, `must be ${text}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be ${text}`);
};

/** A TCP port. 0 lets the system choose one, which only tests and local runs want. */
export const portVariable = () => integerVariable({ min: 0, max: 65_535 });

/** A duration in seconds, fractions allowed, more than nothing. */
export const secondsVariable = () =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a number of seconds, such as 30 or 0.5')
    .transform(Number)
    .refine((value) => value > 0, 'must be more than 0 seconds');

/** An absolute address with one of the schemes; several separated by commas where `many` says so. */
export const urlVariable = (schemes: readonly string[], { many = false }: { many?: boolean } = {}) =>
  z
    .string()
    .refine(
      (value) => (many ? value.split(',') : [value]).every((one) => hasScheme(one.trim(), schemes)),
      `must be an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    );

function hasScheme(address: string, schemes: readonly string[]): boolean {
  return URL.canParse(address) && schemes.includes(new URL(address).protocol.slice(0, -1));
}

const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);
