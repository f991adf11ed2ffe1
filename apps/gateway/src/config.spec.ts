import { parseEnvironment } from '@currawong/config';
import { GatewayEnvironment, publicUrl } from './config';

const LEAST = {
  DATABASE_URL: 'postgres://localhost/x',
  NATS_URL: 'nats://localhost',
  S3_ENDPOINT: 'http://localhost',
  S3_BUCKET: 'b',
  S3_ACCESS_KEY: 'a',
  S3_SECRET_KEY: 's',
};
const read = (settings: Record<string, string> = {}) =>
  parseEnvironment(GatewayEnvironment, { ...LEAST, ...settings });

it('what is not set has the documented default', () => {
  const config = read({ PORT: '8081' });
  expect(config).toMatchObject({ SIGN_UP: 'open', FREE_MINUTES: 90 });
  expect(publicUrl(config)).toBe('http://localhost:8081');
});

it('the public address is an origin, with or without a slash at its end', () => {
  expect(publicUrl(read({ PUBLIC_URL: 'https://speech.example/' }))).toBe('https://speech.example');
});

it.each([
  [{ SMTP_URL: 'smtp://localhost' }, 'MAIL_FROM'],
  [{ SMTP_URL: 'localhost:25', MAIL_FROM: 'a@b.example' }, 'SMTP_URL'],
  [{ SMTP_URL: 'smtp://localhost', MAIL_FROM: 'Currawong' }, 'MAIL_FROM'],
  [{ PUBLIC_URL: 'https://speech.example/api' }, 'PUBLIC_URL'],
  [{ PUBLIC_URL: 'speech.example' }, 'PUBLIC_URL'],
  [{ OIDC_ISSUER: 'https://id.example' }, 'OIDC_CLIENT_ID'],
  [{ OIDC_CLIENT_ID: 'currawong' }, 'OIDC_ISSUER'],
  [{ OIDC_ISSUER: 'http://id.example', OIDC_CLIENT_ID: 'currawong' }, 'OIDC_ISSUER'],
  [{ SIGN_UP: 'maybe' }, 'SIGN_UP'],
  [{ FREE_MINUTES: '-1' }, 'FREE_MINUTES'],
  [{ SIGN_UPS_PER_HOUR: '0' }, 'SIGN_UPS_PER_HOUR'],
])('%j is refused with the name of what is wrong', (settings, name) => {
  expect(() => read(settings)).toThrow(name);
});

it.each(['no-reply@speech.example', 'Currawong <no-reply@speech.example>'])(
  'mails may come from %s',
  (from) => {
    expect(read({ SMTP_URL: 'smtps://u:p@mail.example', MAIL_FROM: from }).MAIL_FROM).toBe(from);
  },
);

it('a secret that is wrong is not repeated', () => {
  const settings = { SMTP_URL: 'http://user:hunter2@mail.example', MAIL_FROM: 'a@b.example' };
  expect(() => read(settings)).toThrow(/SMTP_URL(?!.*hunter2)/s);
});
