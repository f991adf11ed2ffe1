import type { JobDetail, JobListItem } from '../api-types';
import type { Currawong } from '../client';
import type { Command } from './arguments';
import { duration } from './screen';
import type { Printer } from './text';

export async function listJobs(
  client: Currawong,
  { status, page, json }: Extract<Command, { name: 'jobs' }>,
  print: Printer,
): Promise<void> {
  const list = await client.jobs.list({ status, page });
  if (json) return print(asJson(list));
  if (list.jobs.length === 0)
    return print(list.total === 0 ? 'There are no jobs.\n' : 'There is no such page.\n');
  const lines = list.jobs.map((job) =>
    [job.id, state(job).padEnd(15), time(job.created_at), shortened(job.original_filename)].join('  '),
  );
  const more =
    list.page < list.total_pages ? [`Page ${list.page} of ${list.total_pages}: --page ${list.page + 1}`] : [];
  print([...lines, ...more, ''].join('\n'));
}

export async function showJob(
  client: Currawong,
  { id, json }: Extract<Command, { name: 'job' }>,
  print: Printer,
): Promise<void> {
  const job = await client.jobs.get(id);
  print(json ? asJson(job) : `${table(fieldsOf(job))}\n`);
}

export async function showCredit(client: Currawong, json: boolean, print: Printer): Promise<void> {
  const credit = await client.credit();
  if (json) return print(asJson(credit));
  const fields: [string, string][] = [
    ['Balance', `AUD ${credit.balance_aud}`],
    ['Free minutes', String(credit.free_minutes_remaining)],
    ['Price', `AUD ${credit.price_per_minute_aud} a minute of audio`],
    ['Enough for', `about ${credit.estimated_remaining_minutes} minutes`],
    ['Used so far', `AUD ${credit.total_used_aud}`],
  ];
  print(`${table(fields)}\n`);
}

export async function whoAmI(client: Currawong, key: string, url: string, print: Printer): Promise<void> {
  const usage = await client.usage();
  const mode = key.startsWith('sk_test_')
    ? 'test: the first minute of each recording, free of charge'
    : 'live';
  const fields: [string, string][] = [
    ['Key', `${key.slice(0, 8)}…${key.slice(-4)}, valid`],
    ['Mode', mode],
    ['Service', url],
    ['This month', `${usage.minutes_used.toFixed(2)} minutes`],
    ['Balance', `AUD ${usage.balance_aud}`],
  ];
  print(`${table(fields)}\n`);
}

function fieldsOf(job: JobDetail): [string, string][] {
  const fields: [string, string | null][] = [
    ['Job', job.id],
    ['File', job.original_filename],
    ['Status', state(job)],
    ['Reason', job.error_message],
    ['In line', job.queue_position === null ? null : String(job.queue_position)],
    ['Language', job.language],
    ['Audio', job.audio_duration_seconds === null ? null : duration(job.audio_duration_seconds)],
    ['Cost', job.cost_aud === null ? null : `AUD ${job.cost_aud}`],
    ['Sent', time(job.created_at)],
    ['Ended', job.completed_at && time(job.completed_at)],
  ];
  return fields.filter((field): field is [string, string] => field[1] !== null);
}

function state({ status, progress }: JobListItem): string {
  return status === 'processing' ? `${status} ${Math.floor(progress * 100)} %` : status;
}

function table(fields: [string, string][]): string {
  const width = Math.max(...fields.map(([name]) => name.length)) + 2;
  return fields.map(([name, value]) => name.padEnd(width) + value).join('\n');
}

/** In the time of whoever reads it. */
function time(timestamp: string): string {
  return new Date(timestamp).toLocaleString('en-AU', { dateStyle: 'medium', timeStyle: 'short' });
}

function shortened(name: string): string {
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
