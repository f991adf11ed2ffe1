/** Whether eleven digits are an Australian Business Number: weighted and with the first one less, they divide by 89. */
export function isAbn(digits: string): boolean {
  if (!/^[1-9]\d{10}$/.test(digits)) return false;
  const sum = WEIGHTS.reduce((total, weight, index) => {
    const digit = Number(digits[index]) - (index === 0 ? 1 : 0);
    return total + weight * digit;
  }, 0);
  return sum % 89 === 0;
}

/** As it is written on an invoice: `51 824 753 556`. */
export function writtenAbn(digits: string): string {
  return digits.replace(/^(\d{2})(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4');
}

const WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
