import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { TranscriptFormat } from '../jobs';

const FORMATS = ['txt', 'srt', 'vtt', 'json'] as const satisfies TranscriptFormat[];
const STATUSES = ['pending', 'uploading', 'processing', 'completed', 'failed'] as const;

export const USAGE = `Usage: currawong COMMAND [options]

  transcribe FILE   send a recording, wait for its text, print it
      --language CODE      what is spoken, such as en or en-AU (default en)
      --speakers N         how many people speak, 1 to 10
      --prompt TEXT        words and phrases to listen for, with commas between them
      --analysis sentiment tone and sentiment as well, at a price of its own
      --format F           txt, srt, vtt or json (default txt, or as --output ends)
      --output FILE        write the text to FILE instead of printing it
      --words              with json: each word with its times
      --no-wait            print the id of the job and end
      --webhook-url URL    have URL told when the job has ended
  jobs              list jobs, newest first      [--status S] [--page N] [--json]
  job ID            how a job stands             [--json]
  transcript ID     print the text of a job      [--format F] [--output FILE] [--words]
  delete ID         cancel a job that has not ended, erase one that has
  credit            what is left to spend        [--json]
  whoami            whether the key is a valid one

Every command takes
  --key KEY   an API key; else CURRAWONG_API_KEY
  --url URL   the address of the service; else CURRAWONG_URL

It ends with 0 when all is done, 1 when a job failed or a request was refused, 2 when it was called wrongly, 3 when the key
was not accepted, 4 when there is not enough credit, 5 when the service cannot be reached or cannot do it now, 130 when it
was interrupted.
`;

/** It was called wrongly: the message says how it wants to be called. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Access {
  key: string | undefined;
  url: string | undefined;
}

export interface TextWish {
  format: TranscriptFormat;
  output: string | undefined;
  words: boolean;
}

export interface TranscribeWish extends TextWish {
  name: 'transcribe';
  file: string;
  language: string | undefined;
  speakers: number | undefined;
  prompt: string | undefined;
  analysis: 'sentiment' | undefined;
  webhookUrl: string | undefined;
  wait: boolean;
}

export type Command =
  | TranscribeWish
  | { name: 'jobs'; status: (typeof STATUSES)[number] | undefined; page: number; json: boolean }
  | { name: 'job'; id: string; json: boolean }
  | ({ name: 'transcript'; id: string } & TextWish)
  | { name: 'delete'; id: string }
  | { name: 'credit'; json: boolean }
  | { name: 'whoami' };

type Options = NonNullable<ParseArgsConfig['options']>;
const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const ACCESS = { key: text, url: text } satisfies Options;
const TEXT_WISH = { format: text, output: text, words: flag } satisfies Options;

/** @throws UsageError; undefined where help was asked for */
export function parseCommand(argv: readonly string[]): { command: Command; access: Access } | undefined {
  const [name, ...args] = argv;
  if (name === undefined || name === 'help' || argv.includes('--help') || argv.includes('-h'))
    return undefined;
  switch (name) {
    case 'transcribe': {
      const { values, positionals } = read(args, {
        ...TEXT_WISH,
        ...{
          language: text,
          speakers: text,
          prompt: text,
          analysis: text,
          'no-wait': flag,
          'webhook-url': text,
        },
      });
      const command: TranscribeWish = {
        name,
        file: only(positionals, 'the path of a recording'),
        language: values.language,
        speakers: numberIn(values.speakers, '--speakers', 1, 10),
        prompt: values.prompt,
        analysis: oneOf(values.analysis, '--analysis', ['sentiment']),
        webhookUrl: values['webhook-url'],
        wait: !values['no-wait'],
        ...textWish(values),
      };
      return { command, access: values };
    }
    case 'jobs': {
      const { values, positionals } = read(args, { status: text, page: text, json: flag });
      none(positionals);
      const status = oneOf(values.status, '--status', STATUSES);
      const page = numberIn(values.page, '--page', 1, 1_000_000) ?? 1;
      return { command: { name, status, page, json: values.json ?? false }, access: values };
    }
    case 'job': {
      const { values, positionals } = read(args, { json: flag });
      return {
        command: { name, id: only(positionals, 'the id of a job'), json: values.json ?? false },
        access: values,
      };
    }
    case 'transcript': {
      const { values, positionals } = read(args, TEXT_WISH);
      return {
        command: { name, id: only(positionals, 'the id of a job'), ...textWish(values) },
        access: values,
      };
    }
    case 'delete': {
      const { values, positionals } = read(args, {});
      return { command: { name, id: only(positionals, 'the id of a job') }, access: values };
    }
    case 'credit': {
      const { values, positionals } = read(args, { json: flag });
      none(positionals);
      return { command: { name, json: values.json ?? false }, access: values };
    }
    case 'whoami': {
      const { values, positionals } = read(args, {});
      none(positionals);
      return { command: { name }, access: values };
    }
    default:
      throw wrong(`There is no command ${name}.`);
  }
}

function read<O extends Options>(args: string[], options: O) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { ...ACCESS, ...options },
      allowPositionals: true,
    });
    return { values: { key: undefined, url: undefined, ...values }, positionals };
  } catch (error) {
    // The second sentence tells how to write a name that begins with a dash.
    throw wrong((error as Error).message.split('. ', 1)[0]!.replace(/\.?$/, '.'));
  }
}

function textWish(values: { format?: string; output?: string; words?: boolean }): TextWish {
  const { output, words = false } = values;
  const ending = /\.(\w+)$/.exec(output ?? '')?.[1]?.toLowerCase();
  const format = oneOf(values.format, '--format', FORMATS) ?? FORMATS.find((one) => one === ending) ?? 'txt';
  if (words && format !== 'json') throw wrong('--words goes with --format json.');
  return { format, output, words };
}

function only(positionals: string[], what: string): string {
  const [first, ...others] = positionals;
  if (!first) throw wrong(`Name ${what}.`);
  if (others.length > 0) throw wrong(`Name ${what}, one alone: ${others[0]} is too much.`);
  return first;
}

function none([first]: string[]): void {
  if (first !== undefined) throw wrong(`${first} is too much.`);
}

function oneOf<T extends string>(
  value: string | undefined,
  name: string,
  allowed: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const found = allowed.find((one) => one === value);
  if (!found) throw wrong(`${name} must be ${allowed.length === 1 ? '' : 'one of '}${allowed.join(', ')}.`);
  return found;
}

function numberIn(value: string | undefined, name: string, least: number, most: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < least || number > most)
    throw wrong(`${name} must be a whole number from ${least} to ${most}.`);
  return number;
}

function wrong(sentence: string): UsageError {
  return new UsageError(`${sentence} See currawong --help`);
}
