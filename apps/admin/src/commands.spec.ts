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
