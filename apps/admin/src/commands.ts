import {
  accept,
  AddCredit,
  CheckLedger,
  CreateAccount,
  CreateKey,
  ListAccounts,
  ListKeys,
  RevokeKey,
  SetAccountLimits,
  SetAccountState,
  SetPassword,
  SetWebhook,
  ShowAccount,
  ShowJob,
  ShowWebhook,
  type Result,
} from '@currawong/contracts';
import type { Requester } from '@currawong/messaging';
import { randomInt, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { z } from 'zod';

/** One command of whoever runs the platform. */
export interface Command {
  /** The words that name it: ['account', 'create']. */
  words: string[];
  /** Named positional arguments after the words: ['ID']. */
  takes: string[];
  /** As shown in the usage. */
  options: string;
  input: z.ZodType;
  run(requester: Requester, input: never): Promise<Result<unknown>>;
  /** Whether an answer is bad news, for the exit status. */
  failed?(value: unknown): boolean;
}

/** Covers the two questions that the gateway asks of billing before it answers. */
const CREATE_ACCOUNT_DEADLINE_MS = 15_000;

const Id = z.uuid('must be an id such as 01993c1e-7d1f-7c0a-b1ce-0d6f3ab90e55');
const Mode = z.enum(['live', 'test'], 'must be live or test').default('live');

/** "12.50" in AUD as micro-AUD, without a detour through floating point. */
const MicroFromAud = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,6})?$/, 'must be an amount in AUD such as 25 or 12.50')
  .transform((text) => {
    const [whole = '0', fraction = ''] = text.split('.');
    return Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'));
  });
/** 115 random bits, of characters that are not taken for one another when they are read out. */
function randomPassword(): string {
  const letters = '23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';
  const groups = Array.from({ length: 5 }, () =>
    Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join(''),
  );
  return groups.join('-');
}

const Minutes = z
  .string()
  .regex(/^\d{1,7}$/, 'must be a whole number of minutes')
  .transform((text) => Number(text) * 60);

/** A value for one account, or `default` for what holds for all. */
function limit(form: RegExp, message: string) {
  return z
    .string()
    .refine((text) => text === 'default' || (form.test(text) && Number(text) > 0), message)
    .transform((text) => (text === 'default' ? null : Number(text)))
    .optional();
}
const Weight = limit(/^\d{1,3}(\.\d{1,3})?$/, 'must be a number above 0 and below 1000, or default');
const Count = limit(/^\d{1,6}$/, 'must be a whole number from 1 to 999999, or default');

function command<S extends z.ZodType>(definition: {
  words: string;
  takes?: string[];
  options?: string;
  input: S;
  run(requester: Requester, input: z.infer<S>): Promise<Result<unknown>>;
  failed?(value: unknown): boolean;
}): Command {
  return { takes: [], options: '', ...definition, words: definition.words.split(' ') };
}

export const COMMANDS: Command[] = [
  command({
    words: 'account create',
    options: '--email E [--free-minutes N] [--credit-aud D] [--mode live|test]',
    input: z.object({
      email: z.email('must be an email address'),
      'free-minutes': Minutes.default(90 * 60),
      'credit-aud': MicroFromAud.default(0),
      mode: Mode,
    }),
    run: (requester, input) =>
      requester.ask(
        CreateAccount,
        {
          email: input.email,
          free_seconds: input['free-minutes'],
          credit_micro_aud: input['credit-aud'],
          mode: input.mode,
        },
        { deadlineMs: CREATE_ACCOUNT_DEADLINE_MS },
      ),
  }),
  command({
    words: 'account show',
    takes: ['ID_OR_EMAIL'],
    input: z.object({ ID_OR_EMAIL: z.union([Id, z.email()], 'must be an id or an email address') }),
    run: (requester, { ID_OR_EMAIL: wanted }) =>
      requester.ask(ShowAccount, wanted.includes('@') ? { email: wanted } : { account_id: wanted }),
  }),
  command({
    words: 'account list',
    // The next page begins after the last id of this one.
    options: '[--after ID]',
    input: z.object({ after: Id.optional() }),
    run: (requester, { after }) => requester.ask(ListAccounts, { after: after ?? null }),
  }),
  command({
    words: 'account password',
    takes: ['ID'],
    input: z.object({ ID: Id }),
    run: async (requester, { ID }) => {
      const password = randomPassword();
      const set = await requester.ask(SetPassword, { account_id: ID, password });
      return set.ok ? accept({ ...set.value, password }) : set;
    },
  }),
  command({
    words: 'account suspend',
    takes: ['ID'],
    input: z.object({ ID: Id }),
    run: (requester, { ID }) => requester.ask(SetAccountState, { account_id: ID, state: 'suspended' }),
  }),
  command({
    words: 'account resume',
    takes: ['ID'],
    input: z.object({ ID: Id }),
    run: (requester, { ID }) => requester.ask(SetAccountState, { account_id: ID, state: 'active' }),
  }),
  command({
    words: 'account limits',
    takes: ['ID'],
    options: '[--weight W|default] [--concurrency N|default] [--unfinished-jobs N|default]',
    // Without an option it shows what holds.
    input: z.object({
      ID: Id,
      weight: Weight,
      concurrency: Count,
      'unfinished-jobs': Count,
    }),
    run: (requester, { ID, weight, concurrency, 'unfinished-jobs': unfinished_jobs }) =>
      requester.ask(SetAccountLimits, {
        account_id: ID,
        ...(weight === undefined ? {} : { weight }),
        ...(concurrency === undefined ? {} : { concurrency }),
        ...(unfinished_jobs === undefined ? {} : { unfinished_jobs }),
      }),
  }),
  command({
    words: 'credit add',
    takes: ['ID'],
    options: '--aud D --reason R [--reference X]',
    input: z.object({
      ID: Id,
      aud: MicroFromAud.refine((microAud) => microAud > 0, 'must be more than 0'),
      reason: z.string().min(1).max(500),
      // Repeating a command with the same reference books it once.
      reference: z.string().min(1).max(200).optional(),
    }),
    run: (requester, { ID, aud, reason, reference }) =>
      requester.ask(AddCredit, {
        account_id: ID,
        amount_micro_aud: aud,
        kind: 'top_up',
        reason,
        reference: reference ?? `operator:${randomUUID()}`,
      }),
  }),
  command({
    words: 'key create',
    takes: ['ACCOUNT_ID'],
    options: '[--name N] [--mode live|test]',
    input: z.object({
      ACCOUNT_ID: Id,
      name: z.string().min(1).max(100).default('made by the operator'),
      mode: Mode,
    }),
    run: (requester, { ACCOUNT_ID, name, mode }) =>
      requester.ask(CreateKey, { account_id: ACCOUNT_ID, name, mode }),
  }),
  command({
    words: 'key revoke',
    takes: ['KEY_ID'],
    input: z.object({ KEY_ID: Id }),
    run: (requester, { KEY_ID }) => requester.ask(RevokeKey, { key_id: KEY_ID }),
  }),
  command({
    words: 'key list',
    takes: ['ACCOUNT_ID'],
    input: z.object({ ACCOUNT_ID: Id }),
    run: (requester, { ACCOUNT_ID }) => requester.ask(ListKeys, { account_id: ACCOUNT_ID }),
  }),
  command({
    words: 'webhook show',
    takes: ['ACCOUNT_ID'],
    input: z.object({ ACCOUNT_ID: Id }),
    run: (requester, { ACCOUNT_ID }) => requester.ask(ShowWebhook, { account_id: ACCOUNT_ID }),
  }),
  command({
    words: 'webhook set',
    takes: ['ACCOUNT_ID'],
    // Without an address the account has none any more.
    options: '[--url U]',
    input: z.object({ ACCOUNT_ID: Id, url: z.string().optional() }),
    run: (requester, { ACCOUNT_ID, url }) =>
      requester.ask(SetWebhook, { account_id: ACCOUNT_ID, url: url ?? null }),
  }),
  command({
    words: 'job show',
    takes: ['ID'],
    input: z.object({ ID: Id }),
    run: (requester, { ID }) => requester.ask(ShowJob, { job_id: ID }),
  }),
  command({
    words: 'ledger check',
    input: z.object({}),
    run: (requester) => requester.ask(CheckLedger, {}, { deadlineMs: 120_000 }),
    failed: (report) => (report as { problems: string[] }).problems.length > 0,
  }),
];

type Found =
  | {
      ok: true;
      run(requester: Requester): Promise<Result<unknown>>;
      failed: ((value: unknown) => boolean) | undefined;
    }
  | { ok: false; problem: string };

/** Matches the words of a call with a command and its input, or says what is wrong with them. */
export function findCommand(commands: Command[], words: string[]): Found {
  const found = commands.find((candidate) => candidate.words.every((word, index) => words[index] === word));
  if (!found)
    return {
      ok: false,
      problem: words.length > 0 ? `There is no command "${words.join(' ')}".` : 'Say what to do.',
    };
  const optionNames = [...found.options.matchAll(/--([a-z-]+)/g)].map((match) => match[1]!);
  let parsed;
  try {
    parsed = parseArgs({
      args: words.slice(found.words.length),
      allowPositionals: true,
      options: Object.fromEntries(optionNames.map((name) => [name, { type: 'string' as const }])),
    });
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
  if (parsed.positionals.length > found.takes.length) {
    return { ok: false, problem: `"${parsed.positionals[found.takes.length]}" is one word too many.` };
  }
  const positionals = Object.fromEntries(found.takes.map((name, index) => [name, parsed.positionals[index]]));
  const input = found.input.safeParse({ ...parsed.values, ...positionals });
  if (!input.success) {
    const issue = input.error.issues[0]!;
    const name = String(issue.path[0]);
    const missing = !(name in parsed.values) && positionals[name] === undefined;
    const shown = found.takes.includes(name) ? name : `--${name}`;
    return { ok: false, problem: missing ? `${shown} is missing.` : `${shown} ${issue.message}.` };
  }
  return {
    ok: true,
    run: (requester) => found.run(requester, input.data as never),
    failed: found.failed?.bind(found),
  };
}

/** @param program what precedes the words of a command: `npm run admin --`, or the name of the installed program */
export function usage(commands: Command[], program: string): string {
  const lines = commands.map(({ words, takes, options }) =>
    [`  ${program}`, ...words, ...takes, options].join(' ').trimEnd(),
  );
  return `Commands:\n${lines.join('\n')}`;
}
