import { parseEnvironment } from '@currawong/config';
import { billingEnvironment } from './environment';

const DATABASE = { DATABASE_URL: 'postgres://localhost/x' };
const read = (settings: Record<string, string>) =>
  parseEnvironment(billingEnvironment, { ...DATABASE, ...settings });

test('an ABN may be written in groups', () => {
  expect(read({ SUPPLIER_NAME: 'Us', SUPPLIER_ABN: '51 824 753 556' }).SUPPLIER_ABN).toBe('51824753556');
});

test.each([
  [
    'an ABN with a wrong digit',
    { SUPPLIER_NAME: 'Us', SUPPLIER_ABN: '51 824 753 557' },
    'SUPPLIER_ABN=51 824 753 557: must be an Australian Business Number: 11 digits, of which this is not one',
  ],
  [
    'an ABN of nobody',
    { SUPPLIER_ABN: '51824753556' },
    'SUPPLIER_NAME is not set: a tax invoice needs the name that belongs to SUPPLIER_ABN',
  ],
  [
    'payments whose events could not be trusted',
    { STRIPE_SECRET_KEY: 'sk_1' },
    'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET: set both to take payments by card, or neither',
  ],
  [
    'events without payments',
    { STRIPE_WEBHOOK_SECRET: 'whsec_1' },
    'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET: set both to take payments by card, or neither',
  ],
  [
    'a least top-up above the greatest',
    { TOP_UP_MINIMUM_MICRO_AUD: '6000000', TOP_UP_MAXIMUM_MICRO_AUD: '5000000' },
    'TOP_UP_MINIMUM_MICRO_AUD: must not be more than TOP_UP_MAXIMUM_MICRO_AUD',
  ],
  [
    'top-ups so small that nobody takes them',
    { TOP_UP_MINIMUM_MICRO_AUD: '499999' },
    'TOP_UP_MINIMUM_MICRO_AUD=499999: must be a whole number from 500000 to 100000000000',
  ],
])('billing does not start with %s', (_what, settings, sentence) => {
  expect(() => read(settings)).toThrow(sentence);
});

test('the secrets of the payment provider are not shown where they are wrong', () => {
  expect(() => read({ STRIPE_API_URL: 'ftp://user:secret@stripe' })).toThrow(/its value is not shown/);
});
