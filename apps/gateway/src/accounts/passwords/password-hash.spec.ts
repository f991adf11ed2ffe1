import { hashPassword, isOutdated, verifyPassword } from './password-hash';

const PASSWORD = 'black feathers and a yellow eye';
/** Of the same password at another cost (m=8192, t=3, p=2), made by argon2-cffi. */
const OF_ANOTHER_PROGRAM =
  '$argon2id$v=19$m=8192,t=3,p=2$a+s2JavfLqqVWV/nYPB5HQ$xoAol1bZ4T5Fn1vNod06hR5ff3mB76dehqdZAzbKgkA';

it('a password is right for its own hash and no other is', async () => {
  const hash = await hashPassword(PASSWORD);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(await verifyPassword(PASSWORD, hash)).toBe(true);
  expect(await verifyPassword(`${PASSWORD} `, hash)).toBe(false);
  expect(await verifyPassword('', hash)).toBe(false);
});

it('the same password twice has two hashes', async () => {
  expect(await hashPassword(PASSWORD)).not.toBe(await hashPassword(PASSWORD));
});

it('a hash that another program made at another cost is understood, and is to be made anew', async () => {
  expect(await verifyPassword(PASSWORD, OF_ANOTHER_PROGRAM)).toBe(true);
  expect(await verifyPassword('not it', OF_ANOTHER_PROGRAM)).toBe(false);
  expect(isOutdated(OF_ANOTHER_PROGRAM)).toBe(true);
  expect(isOutdated(await hashPassword(PASSWORD))).toBe(false);
});

it('an accented letter is the same however a keyboard sends it', async () => {
  const hash = await hashPassword('caf\u00e9 au lait');
  expect(await verifyPassword('cafe\u0301 au lait', hash)).toBe(true);
});

it('where there is nothing to compare with, no password is right', async () => {
  expect(await verifyPassword(PASSWORD, null)).toBe(false);
});

it('what is stored in another form is a breakdown, not a wrong password', async () => {
  await expect(verifyPassword(PASSWORD, '$2b$12$abc')).rejects.toThrow('not in the form');
});
