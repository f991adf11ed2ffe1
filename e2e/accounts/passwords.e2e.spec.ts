import { startPlatform, type TestPlatform } from '@currawong/testing';
import { Client as Database } from 'pg';
import { Client } from '../client';
import { startMailbox, tokenIn, type Mailbox } from './mailbox';
import { eventually, newEmail, PASSWORD, Person, query, type AccountBody } from './person';

let platform: TestPlatform;
let mailbox: Mailbox;

beforeAll(async () => {
  mailbox = await startMailbox();
  platform = await startPlatform({
    services: ['billing', 'jobs', 'gateway'],
    env: { SMTP_URL: mailbox.url, MAIL_FROM: 'Currawong <no-reply@currawong.example>' },
  });
}, 120_000);

afterAll(async () => {
  await platform?.stop();
  await mailbox?.stop();
});

const NEW_PASSWORD = 'another bird with a long call';

async function someone(): Promise<Person> {
  const person = new Person(platform.baseUrl);
  await person.signUp();
  return person;
}

/** The newest mail with these words in its subject. */
function mailTo(email: string, subject: RegExp) {
  return eventually(
    () => Promise.resolve(mailbox.to(email).findLast((mail) => subject.test(mail.subject))),
    `a mail to ${email}: ${String(subject)}`,
  );
}

const ask = (email: string) => new Person(platform.baseUrl).send('POST', '/api/v1/password-reset', { email });
const reset = (token: string, password = NEW_PASSWORD) =>
  new Person(platform.baseUrl).send('POST', '/api/v1/password-reset/confirm', { token, password });

/** Holds the account's row, as a change to it does that has not been committed yet. */
async function holdAccount(accountId: string) {
  const database = new Database({ connectionString: platform.databaseUrl });
  await database.connect();
  await database.query('BEGIN');
  await database.query('SELECT 1 FROM accounts.accounts WHERE id = $1 FOR UPDATE', [accountId]);
  return {
    /** Returns once so many others wait for rows of this database. */
    awaited: (count: number) =>
      eventually(async () => {
        const [waiting] = await query<{ count: number }>(
          platform.databaseUrl,
          `SELECT count(*)::int AS count FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting!.count >= count;
      }, `${count} wait for the account`),
    release: async (...changes: string[]) => {
      for (const change of changes) await database.query(change, [accountId]);
      await database.query('COMMIT');
      await database.end();
    },
  };
}

describe('confirming an email address', () => {
  it('happens only for whoever is signed in to that account: a link alone, or another account, confirms nothing', async () => {
    const [person, stranger] = [await someone(), await someone()];
    const token = tokenIn(await mailTo(person.email, /Confirm/));
    const confirm = (who: Person) => who.send('POST', '/api/v1/email-confirmation/confirm', { token });
    expect((await confirm(new Person(platform.baseUrl))).status).toBe(401);
    expect((await confirm(stranger)).status).toBe(400);
    for (const who of [person, stranger])
      expect((await who.get<AccountBody>('/api/v1/account')).body.email_confirmed).toBe(false);
    expect((await confirm(person)).status).toBe(200);
  });

  it('happens by the link in the mail, as often as it is opened', async () => {
    const person = await someone();
    const mail = await mailTo(person.email, /Confirm/);
    expect(mail.from).toBe('no-reply@currawong.example');
    expect(mail.messageId).toMatch(/^<[\w-]+@currawong\.example>$/);
    expect(mail.text).toContain(`/dashboard/confirm-email#token=`);
    const confirm = (token: string) => person.send('POST', '/api/v1/email-confirmation/confirm', { token });
    expect((await confirm('not-the-token')).status).toBe(400);
    for (let time = 0; time < 2; time++) expect((await confirm(tokenIn(mail))).status).toBe(200);
    const account = (await person.get<AccountBody>('/api/v1/account')).body;
    expect(account.email_confirmed).toBe(true);
    // A token of one purpose is worth nothing for another.
    expect((await reset(tokenIn(mail))).status).toBe(400);
    expect((await person.send('POST', '/api/v1/email-confirmation')).status).toBe(202);
    expect(mailbox.to(person.email)).toHaveLength(1);
  });

  it('can be asked for again', async () => {
    const person = await someone();
    await mailTo(person.email, /Confirm/);
    expect((await person.send('POST', '/api/v1/email-confirmation')).status).toBe(202);
    await eventually(() => Promise.resolve(mailbox.to(person.email).length === 2), 'a second mail');
  });
});

describe('a forgotten password', () => {
  it('is replaced by a link that works once and ends every session', async () => {
    const person = await someone();
    await person.send('POST', '/api/v1/email-confirmation/confirm', {
      token: tokenIn(await mailTo(person.email, /Confirm/)),
    });
    const { api_key } = await person.createKey();
    const asked = await ask(person.email.toUpperCase());
    expect(asked.status).toBe(202);
    const token = tokenIn(await mailTo(person.email, /new password/));
    expect((await reset(token, 'short')).status).toBe(400);
    expect(await reset(token)).toMatchObject({ status: 200, body: { status: 'changed', revoked_keys: 0 } });
    expect((await reset(token, 'yet another long password')).status).toBe(400);
    await eventually(async () => !(await person.isSignedIn()), 'the session is over', 1);
    expect((await person.trySignIn(PASSWORD)).status).toBe(401);
    const account = await person.signIn(NEW_PASSWORD);
    expect(account.email_confirmed).toBe(true);
    expect((await new Client(platform.baseUrl, api_key).get('/api/v1/usage')).status).toBe(200);
    const notice = await mailTo(person.email, /was changed/);
    expect(notice.text).toContain('/dashboard/sign-in');
    expect(notice.text).toContain('keys still work');
  });

  it('takes an account back from whoever made it with an address that is not theirs: sessions and keys end', async () => {
    const intruder = await someone();
    const keys = [await intruder.createKey('one'), await intruder.createKey('two', 'test')];
    await ask(intruder.email);
    const token = tokenIn(await mailTo(intruder.email, /new password/));
    expect(await reset(token)).toMatchObject({ status: 200, body: { status: 'changed', revoked_keys: 2 } });
    for (const { api_key } of keys)
      await eventually(
        async () => (await new Client(platform.baseUrl, api_key).get('/api/v1/usage')).status === 401,
        'the key is refused',
        1,
      );
    expect((await mailTo(intruder.email, /was changed/)).text).toMatch(/API keys \(2\) were revoked/);
    const owner = new Person(platform.baseUrl, intruder.email);
    expect((await owner.signIn(NEW_PASSWORD)).email_confirmed).toBe(true);
    const log = await owner.get<{ entries: { action: string }[] }>('/api/v1/account/audit-log');
    expect(log.body.entries.filter(({ action }) => action === 'key_revoked')).toHaveLength(2);
  });

  it('gives no key to a session that it ends, also where that asked before', async () => {
    const intruder = await someone();
    const [account] = await query<{ id: string }>(
      platform.databaseUrl,
      'SELECT id FROM accounts.accounts WHERE email = $1',
      [intruder.email],
    );
    const held = await holdAccount(account!.id);
    const asked = intruder.send('POST', '/api/v1/keys', { name: 'late' });
    await held.awaited(1);
    await held.release(`DELETE FROM accounts.sessions WHERE account_id = $1`);
    expect((await asked).status).toBe(401);
  });

  it('by two links at once is replaced by one of them, and the other is refused', async () => {
    const person = await someone();
    await ask(person.email);
    await ask(person.email);
    const mails = await eventually(() => {
      const found = mailbox.to(person.email).filter(({ subject }) => /new password/.test(subject));
      return Promise.resolve(found.length === 2 && found);
    }, 'two mails');
    const { id } = (await person.get<AccountBody>('/api/v1/account')).body;
    // Both are on their way into the same rows before either gets anywhere.
    const held = await holdAccount(id);
    const answers = mails.map((mail, index) => reset(tokenIn(mail), `the new password no. ${index}`));
    await held.awaited(2);
    await held.release();
    expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('of two links opened at once, and of twenty attempts with one, one is followed', async () => {
    const person = await someone();
    await ask(person.email);
    const token = tokenIn(await mailTo(person.email, /new password/));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => reset(token, `the new password no. ${index}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
  });

  it('is not replaced by a link that is too old, or was sent before another change', async () => {
    const person = await someone();
    await ask(person.email);
    const old = tokenIn(await mailTo(person.email, /new password/));
    await query(
      platform.databaseUrl,
      `UPDATE accounts.mail_tokens SET expires_at = now() - interval '1 second' WHERE purpose = 'reset_password'
        AND account_id = (SELECT id FROM accounts.accounts WHERE email = $1)`,
      [person.email],
    );
    expect((await reset(old)).status).toBe(400);
    await ask(person.email);
    const current = tokenIn(
      await eventually(
        () =>
          Promise.resolve(mailbox.to(person.email).filter((mail) => /new password/.test(mail.subject))[1]),
        'the second mail',
      ),
    );
    const change = { current_password: PASSWORD, password: NEW_PASSWORD };
    expect((await person.send('PUT', '/api/v1/account/password', change)).status).toBe(200);
    expect((await reset(current)).status).toBe(400);
  });

  it('is asked for with one answer, which comes before anybody is looked up', async () => {
    const person = await someone();
    const database = new Database({ connectionString: platform.databaseUrl });
    await database.connect();
    try {
      await database.query('BEGIN');
      // Not even read: neither the answer nor its time can tell whether there is such an account.
      await database.query('LOCK TABLE accounts.accounts IN ACCESS EXCLUSIVE MODE');
      const [known, unknown] = [await ask(person.email), await ask(newEmail())];
      expect(known.status).toBe(202);
      expect({ ...unknown, headers: null }).toEqual({ ...known, headers: null });
    } finally {
      await database.query('ROLLBACK');
      await database.end();
    }
    await mailTo(person.email, /new password/);
  });
});

describe('changing the password', () => {
  it('needs the current one and ends the other sessions, not this one', async () => {
    const person = await someone();
    const elsewhere = new Person(platform.baseUrl, person.email);
    await elsewhere.signIn();
    const change = (body: unknown) => person.send('PUT', '/api/v1/account/password', body);
    for (const current_password of [undefined, 'not the password'])
      expect(await change({ current_password, password: NEW_PASSWORD })).toMatchObject({
        status: 400,
        body: { detail: 'current_password: is not your password' },
      });
    expect((await change({ current_password: PASSWORD, password: NEW_PASSWORD })).status).toBe(200);
    await eventually(async () => !(await elsewhere.isSignedIn()), 'the other session is over', 1);
    expect(await person.isSignedIn()).toBe(true);
    expect((await person.trySignIn(PASSWORD)).status).toBe(401);
  });

  it('changes nothing where a link was followed while the current one was being compared', async () => {
    for (const left of ['session', 'nothing']) {
      const person = await someone();
      const { id } = (await person.get<AccountBody>('/api/v1/account')).body;
      const held = await holdAccount(id);
      const asked = person.send('PUT', '/api/v1/account/password', {
        current_password: PASSWORD,
        password: NEW_PASSWORD,
      });
      await held.awaited(1);
      await held.release(
        `UPDATE accounts.accounts SET password_hash = replace(password_hash, 'm=19456', 'm=8192') WHERE id = $1`,
        ...(left === 'nothing' ? ['DELETE FROM accounts.sessions WHERE account_id = $1'] : []),
      );
      expect((await asked).status).toBe(left === 'session' ? 400 : 401);
      const [stored] = await query<{ password_hash: string }>(
        platform.databaseUrl,
        'SELECT password_hash FROM accounts.accounts WHERE id = $1',
        [id],
      );
      expect(stored!.password_hash).toContain('m=8192');
    }
  });

  it('by the operator gives one that works, shown once, and ends every session', async () => {
    const person = await someone();
    const { id } = (await person.get<AccountBody>('/api/v1/account')).body;
    const given = await platform.admin<{ account_id: string; email: string; password: string }>(
      ...['account', 'password', id],
    );
    expect(given).toMatchObject({ account_id: id, email: person.email });
    await eventually(async () => !(await person.isSignedIn()), 'the session is over', 1);
    await person.signIn(given.password);
    expect(platform.logs('gateway')).not.toContain(given.password);
  });
});

describe('a stored password', () => {
  it('is Argon2id at the recommended cost, and is hashed again when it was stored at another', async () => {
    const person = await someone();
    const stored = async () => {
      const [row] = await query<{ password_hash: string }>(
        platform.databaseUrl,
        'SELECT password_hash FROM accounts.accounts WHERE email = $1',
        [person.email],
      );
      return row!.password_hash;
    };
    expect(await stored()).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    );
    // Of PASSWORD, with m=8192, t=3, p=2, made by another program than ours.
    const older =
      '$argon2id$v=19$m=8192,t=3,p=2$a+s2JavfLqqVWV/nYPB5HQ$xoAol1bZ4T5Fn1vNod06hR5ff3mB76dehqdZAzbKgkA';
    await query(platform.databaseUrl, 'UPDATE accounts.accounts SET password_hash = $2 WHERE email = $1', [
      person.email,
      older,
    ]);
    expect((await person.trySignIn('not the password')).status).toBe(401);
    expect(await stored()).toBe(older);
    // From two browsers at once: neither is told that the password is wrong because the other has hashed it again.
    const { id } = (await person.get<AccountBody>('/api/v1/account')).body;
    const held = await holdAccount(id);
    const elsewhere = new Person(platform.baseUrl, person.email);
    const both = [person, elsewhere].map((who) => who.trySignIn(PASSWORD));
    await held.awaited(2);
    await held.release();
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await stored()).toMatch(/\$m=19456,t=2,p=1\$/);
    await person.signIn();
  });
});

describe('the mail server', () => {
  it('may be away or refuse for now: the mail comes later, once, and then its text is erased', async () => {
    mailbox.refuseWith = 450;
    const person = await someone();
    const waiting = await eventually(async () => {
      const [row] = await query<{ body: string; attempts: number; next: boolean }>(
        platform.databaseUrl,
        `SELECT body, attempts, attempts > 0 AND next_attempt_at < now() + interval '31 seconds' AS next
           FROM accounts.outgoing_mails WHERE recipient = $1`,
        [person.email],
      );
      return row!.next && row;
    }, 'the second attempt is set');
    // Only now: mails of other people are refused as well.
    mailbox.refuseWith = undefined;
    expect(waiting).toMatchObject({ attempts: 1 });
    expect(waiting.body).toContain('#token=');
    await query(
      platform.databaseUrl,
      'UPDATE accounts.outgoing_mails SET next_attempt_at = now() WHERE recipient = $1',
      [person.email],
    );
    await mailTo(person.email, /Confirm/);
    const sent = await eventually(async () => {
      const [row] = await query<{ body: string | null; sent_at: Date | null }>(
        platform.databaseUrl,
        'SELECT body, sent_at FROM accounts.outgoing_mails WHERE recipient = $1',
        [person.email],
      );
      return row!.sent_at !== null && row;
    }, 'the mail counts as sent');
    expect(sent.body).toBeNull();
    expect(mailbox.to(person.email)).toHaveLength(1);
  });

  it('that says never is believed', async () => {
    mailbox.refuseWith = 550;
    const person = await someone();
    const ended = await eventually(async () => {
      const [row] = await query<{ body: string | null; given_up_at: Date | null; attempts: number }>(
        platform.databaseUrl,
        'SELECT body, given_up_at, attempts FROM accounts.outgoing_mails WHERE recipient = $1',
        [person.email],
      );
      return row!.given_up_at !== null && row;
    }, 'the mail is given up');
    mailbox.refuseWith = undefined;
    expect(ended).toMatchObject({ body: null, attempts: 1 });
    expect(platform.logs('gateway')).not.toContain(person.email);
  });

  it('keeps links out of the log', async () => {
    const person = await someone();
    const mail = await mailTo(person.email, /Confirm/);
    expect(platform.logs('gateway')).not.toContain(tokenIn(mail));
  });
});
