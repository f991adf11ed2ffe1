#!/usr/bin/env node
import { Currawong } from '../client';
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  CurrawongError,
  InsufficientCreditError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from '../errors';
import type { Retry } from '../http';
import { listJobs, showCredit, showJob, whoAmI } from './account';
import { parseCommand, USAGE, UsageError, type Access, type Command } from './arguments';
import { listenForInterruption } from './interruption';
import { duration, Screen } from './screen';
import { giveText } from './text';
import { Interrupted, requireWritable, transcribe, type Surroundings } from './transcribe';

const screen = new Screen(process.stderr);
const print = (text: string) => void process.stdout.write(text);

async function main(): Promise<number> {
  const parsed = parseCommand(process.argv.slice(2));
  if (!parsed) {
    print(USAGE);
    return 0;
  }
  const { key, url } = accessOf(parsed.access);
  const client = new Currawong({ apiKey: key, baseUrl: url, onRetry: sayThatItWaits });
  return run(parsed.command, { client, screen, print, interruption: listenForInterruption() }, key, url);
}

async function run(command: Command, surroundings: Surroundings, key: string, url: string): Promise<number> {
  const { client } = surroundings;
  switch (command.name) {
    case 'transcribe':
      return transcribe(command, surroundings);
    case 'jobs':
      await listJobs(client, command, print);
      return 0;
    case 'job':
      await showJob(client, command, print);
      return 0;
    case 'transcript':
      if (command.output !== undefined) requireWritable(command.output);
      await giveText(client, command, command, screen, print);
      return 0;
    case 'delete':
      await client.jobs.delete(command.id);
      screen.line(`Job ${command.id} is cancelled or erased.`);
      return 0;
    case 'credit':
      await showCredit(client, command.json, print);
      return 0;
    case 'whoami':
      await whoAmI(client, key, url, print);
      return 0;
  }
}

/** @throws UsageError where one of them is not known */
function accessOf({ key = process.env['CURRAWONG_API_KEY'], url = process.env['CURRAWONG_URL'] }: Access) {
  if (!key)
    throw new UsageError(
      'No API key: set CURRAWONG_API_KEY or pass --key. Keys are made in the dashboard under Settings.',
    );
  if (!url)
    throw new UsageError('No address: set CURRAWONG_URL or pass --url, such as https://currawong.example');
  if (!/^https?:\/\/[^/\s]/.test(url))
    throw new UsageError(`${url} is no address: it must begin with https:// or http://`);
  // Header values cannot carry it, and fetch would only say so in its own words.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError('The API key has characters that no key has: copy it again.');
  return { key, url };
}

function sayThatItWaits({ error, delaySeconds }: Retry): void {
  // A short pause is over before it is read.
  if (delaySeconds < 1) return;
  screen.line(
    `${error.message.replace(/[^.!?]$/, '$&.')} Trying again in ${duration(Math.ceil(delaySeconds))} …`,
  );
}

/** What to say of an error and what to end with. */
function outcomeOf(error: unknown): [exitCode: number, sentence: string] {
  if (error instanceof UsageError) return [2, error.message];
  if (error instanceof Interrupted) return [130, error.message];
  if (error instanceof AuthenticationError)
    return [3, `The API key was not accepted: check CURRAWONG_API_KEY or --key. (${error.detail})`];
  if (error instanceof PermissionError) return [3, error.detail];
  if (error instanceof InsufficientCreditError) return [4, error.detail];
  if (error instanceof RateLimitError || error instanceof ServerError || error instanceof ConnectionError)
    return [5, error.message];
  if (error instanceof NotFoundError) return [1, `${error.detail}: there is none of this id for this key.`];
  if (error instanceof ApiError || error instanceof CurrawongError) return [1, error.message];
  return [1, error instanceof Error ? (error.stack ?? error.message) : String(error)];
}

// A reader that has gone away (`currawong jobs | head`) is no error.
process.stdout.on('error', () => process.exit(0));
void main()
  .catch((error: unknown) => {
    const [exitCode, sentence] = outcomeOf(error);
    screen.line(sentence);
    return exitCode;
  })
  // Not by process.exit, which would cut off what a pipe has not taken yet; nothing else keeps the process.
  .then((exitCode) => (process.exitCode = exitCode));
