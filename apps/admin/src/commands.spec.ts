import { ServiceUnavailable, type Requester } from '@currawong/messaging';
import { COMMANDS, findCommand } from './commands';
import { sentenceFor } from './unanswered';

const ID = '01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55';

/** What a command asks, and with which deadline. */
async function asked(...words: string[]) {
  const found = findCommand(COMMANDS, words);
  if (!found.ok) throw new Error(found.problem);
  let call: unknown[] = [];
  const ask = (...args: unknown[]) => Promise.resolve(((call = args), { ok: true, value: {} }));
  await found.run({ ask } as unknown as Requester);
  return { payload: call[1], options: call[2] };
}

function problem(...words: string[]): string {
  const found = findCommand(COMMANDS, words);
  return found.ok ? '' : found.problem;
}

it.each(['0', '0.00', '0.000000'])('credit add refuses %s AUD', (aud) => {
  expect(problem('credit', 'add', ID, '--aud', aud, '--reason', 'r')).toBe('--aud must be more than 0.');
});

it('credit add refuses what is no amount', () => {
  expect(problem('credit', 'add', ID, '--aud', '-5', '--reason', 'r')).not.toBe('');
  expect(problem('credit', 'add', ID, '--aud', 'much', '--reason', 'r')).toBe(
    '--aud must be an amount in AUD such as 25 or 12.50.',
  );
});

it('credit add sends micro-AUD', async () => {
  const { payload } = await asked('credit', 'add', ID, '--aud', '0.000001', '--reason', 'r');
  expect(payload).toMatchObject({ amount_micro_aud: 1 });
});

it('account create may begin without credit, and waits longer than what the gateway asks for it', async () => {
  const { payload, options } = await asked('account', 'create', '--email', 'a@example.com');
  expect(payload).toMatchObject({ credit_micro_aud: 0 });
  expect(options).toEqual({ deadlineMs: 15_000 });
});

it('a late answer is not taken for a service that is not running', () => {
  const sentence = (why: ServiceUnavailable['why']) =>
    sentenceFor(new ServiceUnavailable('accounts.create', why));
  expect(sentence('no_responders')).toMatch(/is not running/);
  expect(sentence('deadline')).toMatch(/not answer in time.*look before you try again/);
  expect(sentence('disconnected')).toMatch(/connection to the platform was lost/);
});

it('account password sends a new random one each time, and prints the one that it sent', async () => {
  const sent: string[] = [];
  const ask = (_: unknown, { password }: { password: string }) => {
    sent.push(password);
    return Promise.resolve({ ok: true, value: { account_id: ID, email: 'a@example.com' } });
  };
  const found = findCommand(COMMANDS, ['account', 'password', ID]);
  if (!found.ok) throw new Error(found.problem);
  for (let time = 0; time < 2; time++) {
    const answer = await found.run({ ask } as unknown as Requester);
    expect(answer).toEqual({
      ok: true,
      value: { account_id: ID, email: 'a@example.com', password: sent[time] },
    });
  }
  expect(sent[0]).toMatch(/^(\w{4}-){4}\w{4}$/);
  expect(sent[0]).not.toBe(sent[1]);
});

it('account show takes an id or an email address, and nothing else', async () => {
  expect((await asked('account', 'show', ID)).payload).toEqual({ account_id: ID });
  expect((await asked('account', 'show', 'a@example.com')).payload).toEqual({ email: 'a@example.com' });
  expect(problem('account', 'show', 'somebody')).toBe('ID_OR_EMAIL must be an id or an email address.');
});

it('account limits sends what was said, null for what holds for all, and nothing of the rest', async () => {
  expect((await asked('account', 'limits', ID)).payload).toEqual({ account_id: ID });
  expect(
    (await asked('account', 'limits', ID, '--weight', '2.5', '--concurrency', 'default')).payload,
  ).toEqual({
    ...{ account_id: ID, weight: 2.5, concurrency: null },
  });
  expect((await asked('account', 'limits', ID, '--unfinished-jobs', '50')).payload).toEqual({
    ...{ account_id: ID, unfinished_jobs: 50 },
  });
  expect(problem('account', 'limits', ID, '--weight', '0')).toMatch(/^--weight must be a number above 0/);
  expect(problem('account', 'limits', ID, '--concurrency', '1.5')).toMatch(/^--concurrency must be a whole/);
});

it('account list begins at the beginning, or after an id', async () => {
  expect((await asked('account', 'list')).payload).toEqual({ after: null });
  expect((await asked('account', 'list', '--after', ID)).payload).toEqual({ after: ID });
});
