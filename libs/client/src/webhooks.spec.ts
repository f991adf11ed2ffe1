import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from './webhooks';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
const BODY = JSON.stringify({ type: 'job.completed', data: { id: 'a', name: 'Zoë' } });
const now = new Date('2026-11-21T10:00:00Z');

/** As the reference library of Standard Webhooks signs. */
function signedBy(...secrets: string[]): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(now.getTime() / 1000),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign('msg_1', now, BODY)).join(' '),
  };
}

it('gives the content of what was signed with the secret', async () => {
  expect(await verifyWebhook(BODY, signedBy(SECRET), SECRET, { now })).toEqual(JSON.parse(BODY));
  const bytes = new TextEncoder().encode(BODY);
  expect(await verifyWebhook(bytes, new Headers(signedBy(SECRET)), SECRET, { now })).toEqual(
    JSON.parse(BODY),
  );
  const shouted = Object.fromEntries(
    Object.entries(signedBy(SECRET)).map(([name, value]) => [name.toUpperCase(), value]),
  );
  expect(await verifyWebhook(BODY, shouted, SECRET, { now })).toEqual(JSON.parse(BODY));
});

it('while a secret takes over from another, either is enough on either side', async () => {
  expect(await verifyWebhook(BODY, signedBy(OTHER, SECRET), SECRET, { now })).toBeDefined();
  expect(await verifyWebhook(BODY, signedBy(SECRET), [OTHER, SECRET], { now })).toBeDefined();
});

it.each([
  ['another secret', BODY, signedBy(OTHER)],
  ['another body', `${BODY} `, signedBy(SECRET)],
  ['another id', BODY, { ...signedBy(SECRET), 'webhook-id': 'msg_2' }],
  ['another time', BODY, { ...signedBy(SECRET), 'webhook-timestamp': String(now.getTime() / 1000 + 1) }],
  [
    'another version alone',
    BODY,
    { ...signedBy(SECRET), 'webhook-signature': signedBy(SECRET)['webhook-signature']!.replace('v1', 'v1a') },
  ],
  ['what is no base64', BODY, { ...signedBy(SECRET), 'webhook-signature': 'v1,?? v1 v1,' }],
  ['no signature', BODY, { ...signedBy(SECRET), 'webhook-signature': '' }],
  ['no id', BODY, { ...signedBy(SECRET), 'webhook-id': undefined }],
  ['a time that is none', BODY, { ...signedBy(SECRET), 'webhook-timestamp': '1e9' }],
])('refuses %s', async (_, body, headers) => {
  await expect(verifyWebhook(body, headers, SECRET, { now })).rejects.toThrow(WebhookVerificationError);
});

it.each([
  [299, true],
  [-299, true],
  [301, false],
  [-301, false],
])('%i s after it was signed: %p', async (seconds, accepted) => {
  const later = new Date(now.getTime() + seconds * 1000);
  const verified = verifyWebhook(BODY, signedBy(SECRET), SECRET, { now: later }).then(
    () => true,
    () => false,
  );
  expect(await verified).toBe(accepted);
});

it('a secret that is none is a mistake of the receiver, not of the sender', async () => {
  await expect(verifyWebhook(BODY, signedBy(SECRET), '', { now })).rejects.toThrow(TypeError);
});
