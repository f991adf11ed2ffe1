import { mkdirSync, openAsBlob } from 'node:fs';
import { join } from 'node:path';
import type { TestPlatform } from '@currawong/testing';
import type { Browser } from 'playwright-core';
import { type Mailbox, tokenIn } from '../accounts/mailbox';
import { eventually, Person } from '../accounts/person';
import { Client } from '../client';
import { converted } from '../recordings';
import { Visitor } from './visitor';

const repository = join(__dirname, '..', '..');
const IMAGES_FOLDER = join(repository, 'docs', 'images');
const SAMPLE = join(repository, 'samples', 'two-voices.ogg');

/** Parts of the sample, under names as customers give them. */
const RECORDINGS: [name: string, options: string[]][] = [
  ['Committee, item 4.m4a', ['-ss', '12', '-t', '9', '-c:a', 'aac']],
  ['Site visit Bega.mp3', ['-ss', '4', '-t', '14']],
  ['Oral history, Mrs Hallam, tape 2.flac', ['-t', '20']],
  ['Dictation 18 November.wav', ['-ss', '20', '-t', '8']],
  ['Morning in the garden.ogg', ['-c:a', 'copy']],
];

/**
 * Pictures of the running product for the README: an account with several finished jobs, its overview and one of its
 * transcripts, 1440 px wide.
 */
export async function takeReadmeImages(
  browser: Browser,
  platform: TestPlatform,
  mailbox: Mailbox,
  origin: string,
): Promise<void> {
  const person = new Person(platform.baseUrl, 'maya@hallam-and-daughters.example');
  const account = await person.signUp();
  const mail = await eventually(async () => mailbox.to(person.email)[0], 'the mail');
  await person.send('POST', '/api/v1/email-confirmation/confirm', { token: tokenIn(mail) });
  await person.send('PATCH', '/api/v1/account', { name: 'Hallam & Daughters' });
  await platform.admin('credit', 'add', account.id, '--aud', '50', '--reason', 'for the pictures');
  const client = new Client(platform.baseUrl, (await person.createKey('archive')).api_key);
  let last = '';
  for (const [name, options] of RECORDINGS) {
    const extension = name.split('.').at(-1)!;
    const form = new FormData();
    form.set('num_speakers', '2');
    form.set('file', await openAsBlob(converted(SAMPLE, extension, ...options)), name);
    const answer = await client.send('POST', '/api/v1/transcribe', form);
    last = String(answer.body['job_id']);
    await client.finished(last, 120);
  }
  const names = { 'Speaker 1': 'Maya', 'Speaker 2': 'Mrs Hallam' };
  await person.send('PATCH', `/api/v1/jobs/${last}`, { speaker_names: names });

  const visitor = await Visitor.arrive(browser, origin);
  await visitor.context.addCookies(
    [...person.cookies].map(([name, value]) => ({ name, value, url: origin })),
  );
  mkdirSync(IMAGES_FOLDER, { recursive: true });
  for (const [path, image] of [
    ['/dashboard/', 'dashboard.png'],
    [`/dashboard/jobs/${last}`, 'transcript.png'],
  ] as const) {
    await visitor.open(path);
    await visitor.page.screenshot({ path: join(IMAGES_FOLDER, image), animations: 'disabled' });
  }
  await visitor.leave();
}
