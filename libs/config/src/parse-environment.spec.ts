import { z } from 'zod';
import {
  databaseEnvironment,
  natsEnvironment,
  serviceEnvironment,
  storeEnvironment,
  storeSettingsTogether,
} from './environments';
import { ConfigurationError, parseEnvironment, type Environment } from './parse-environment';
import { booleanVariable, integerVariable, portVariable, secondsVariable } from './variables';

function problems(schema: z.ZodObject, environment: Environment): readonly string[] {
  try {
    parseEnvironment(schema, environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('the environment', () => {
  const schema = z.object({
    PORT: portVariable().default(8080),
    VERBOSE: booleanVariable().default(false),
    LEASE_SECONDS: secondsVariable(),
    API_KEY: z.string().min(20, 'must be 20 characters or more'),
  });
  const good = { LEASE_SECONDS: '2.5', API_KEY: 'x'.repeat(20) };

  it('becomes typed values; what is unset or empty gets its default, what is unknown is left out', () => {
    expect(parseEnvironment(schema, { ...good, PORT: '', VERBOSE: 'Yes', HOME: '/root' })).toEqual({
      PORT: 8080,
      VERBOSE: true,
      LEASE_SECONDS: 2.5,
      API_KEY: good.API_KEY,
    });
  });

  it('that is wrong in several places is reported in all of them, with what is allowed', () => {
    expect(problems(schema, { PORT: '70000', VERBOSE: 'perhaps', API_KEY: 'x'.repeat(20) })).toEqual([
      'PORT=70000: must be a whole number from 0 to 65535',
      'VERBOSE=perhaps: must be true or false',
      'LEASE_SECONDS is not set: it is required',
    ]);
  });

  it.each(['API_KEY', 'DATABASE_URL', 'S3_SECRET', 'ADMIN_PASSWORD', 'ACCESS_TOKEN'])(
    'never has the value of %s shown',
    (name) => {
      const found = problems(z.object({ [name]: z.string().max(3, 'is too long') }), { [name]: 'hush-hush' });
      expect(found).toEqual([`${name} (its value is not shown): is too long`]);
    },
  );

  it.each(['08x', '1.5', '-1', '1e3', ' 1', '99999999999999999999'])(
    'does not take %j for a whole number',
    (text) => {
      expect(problems(z.object({ N: integerVariable() }), { N: text })).toEqual([
        `N=${text}: must be a whole number from 0`,
      ]);
    },
  );

  it.each(['0', '-5', 'soon', '1m'])('does not take %j for seconds', (text) => {
    expect(problems(z.object({ N: secondsVariable() }), { N: text })).toHaveLength(1);
  });
});

describe('what services have in common', () => {
  it('can be combined and has defaults for everything but addresses and keys', () => {
    const all = serviceEnvironment
      .extend(natsEnvironment.shape)
      .extend(databaseEnvironment.shape)
      .extend(storeEnvironment.shape);
    expect(problems(all, {}).map((problem) => problem.split(' ')[0])).toEqual([
      'NATS_URL',
      'DATABASE_URL',
      'S3_ENDPOINT',
      'S3_BUCKET',
    ]);
  });

  it.each([
    ['a key without its secret', { S3_ACCESS_KEY: 'a' }, /^S3_ACCESS_KEY and S3_SECRET_KEY: set both/],
    ['neither keys nor a role', {}, /^S3_ACCESS_KEY and S3_SECRET_KEY are not set: .*AWS_ROLE_ARN/],
    ['half a role', { AWS_ROLE_ARN: 'arn:aws:iam::1:role/r' }, /AWS_WEB_IDENTITY_TOKEN_FILE/],
    [
      'a KMS key that nothing uses',
      { S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b', S3_KMS_KEY_ID: 'k', S3_SERVER_SIDE_ENCRYPTION: 'AES256' },
      /^S3_KMS_KEY_ID: set S3_SERVER_SIDE_ENCRYPTION=aws:kms/,
    ],
  ])('has no store with %s', (_what, settings, sentence) => {
    const store = storeEnvironment.superRefine(storeSettingsTogether);
    const found = problems(store, { S3_ENDPOINT: 'https://s3.test', S3_BUCKET: 'b', ...settings });
    expect(found).toEqual([expect.stringMatching(sentence)]);
  });

  it('takes the keys of the store, or the role of the service account', () => {
    const store = storeEnvironment.superRefine(storeSettingsTogether);
    const place = { S3_ENDPOINT: 'https://s3.test', S3_BUCKET: 'b' };
    expect(problems(store, { ...place, S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' })).toEqual([]);
    const role = { AWS_ROLE_ARN: 'arn:aws:iam::1:role/r', AWS_WEB_IDENTITY_TOKEN_FILE: '/token' };
    expect(problems(store, { ...place, ...role })).toEqual([]);
  });

  it('takes the seed of an NKEY user, and shows none that is wrong', () => {
    const seed = `SU${'A'.repeat(56)}`;
    const place = { NATS_URL: 'nats://a:4222' };
    expect(problems(natsEnvironment, { ...place, NATS_NKEY_SEED: `${seed}\n` })).toEqual([]);
    expect(problems(natsEnvironment, { ...place, NATS_NKEY_SEED: 'UABC' })).toEqual([
      'NATS_NKEY_SEED (its value is not shown): must be the seed of an NKEY user: SU and 56 more letters and digits',
    ]);
  });

  it('is refused outside of Australia', () => {
    expect(problems(serviceEnvironment, { CURRAWONG_REGION: 'us-east-1' })).toEqual([
      'CURRAWONG_REGION=us-east-1: allowed: ap-southeast-2, ap-southeast-4, australiaeast, australiasoutheast, ' +
        'australia-southeast1, australia-southeast2',
    ]);
  });

  it('takes one NATS address or several, and no other kind of address', () => {
    expect(problems(natsEnvironment, { NATS_URL: 'nats://a:4222, tls://u:p@b:4222' })).toEqual([]);
    expect(problems(natsEnvironment, { NATS_URL: 'http://a:4222' })).toEqual([
      'NATS_URL (its value is not shown): must be an address that starts with nats:// or tls://',
    ]);
    expect(problems(databaseEnvironment, { DATABASE_URL: 'localhost:5432/currawong' })).toHaveLength(1);
  });
});
