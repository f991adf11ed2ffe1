// Submissions at an even rate until STOP_FILE is there, then waits for every job that was accepted. The last line that it
// prints is a report as JSON. Half of the submissions come over connections that are kept, half over new ones.
import { existsSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { charges, finished, form, send } from './customer.mjs';

const {
  PER_SECOND = '5',
  AUDIO,
  STOP_FILE = '/tmp/stop',
  FINISH_SECONDS = '240',
  MAX_SECONDS = '300',
} = process.env;
const audio = readFileSync(AUDIO);
const kept = new Agent({ keepAlive: true });

const answers = {};
const problems = [];
const accepted = [];
const milliseconds = [];
let polls = 0;

function count(what, { status, text }, connection) {
  answers[`${what} ${status}`] = (answers[`${what} ${status}`] ?? 0) + 1;
  if (status === 200 || problems.length >= 20) return;
  problems.push(
    `${new Date().toISOString()} ${what} over a ${connection} connection: ${status} ${text.slice(0, 200)}`,
  );
}

async function submit(index) {
  const isKept = index % 2 === 0;
  const made = form(`recording-${index}.ogg`, audio, { num_speakers: '1' });
  const answer = await send('POST', '/api/v1/transcribe', { ...made, agent: isKept ? kept : false });
  count('POST', answer, isKept ? 'kept' : 'new');
  if (answer.status !== 200) return;
  milliseconds.push(answer.milliseconds);
  accepted.push(JSON.parse(answer.text).job_id);
}

async function poll(index) {
  const id = accepted[Math.floor(Math.random() * accepted.length)];
  if (id === undefined) return;
  polls += 1;
  const isKept = index % 2 === 1;
  count(
    'GET',
    await send('GET', `/api/v1/jobs/${id}`, { agent: isKept ? kept : false }),
    isKept ? 'kept' : 'new',
  );
}

const underway = new Set();
const began = performance.now();
const seconds = () => (performance.now() - began) / 1000;
let submitted = 0;
while (!existsSync(STOP_FILE) && seconds() < Number(MAX_SECONDS)) {
  for (const request of [submit(submitted), poll(submitted)]) {
    underway.add(request);
    request.finally(() => underway.delete(request));
  }
  submitted += 1;
  if (submitted % (5 * Number(PER_SECOND)) === 0)
    console.log(`${submitted} submitted, ${accepted.length} accepted`);
  // By the clock, not by the answers: a slow platform does not get less to do.
  await sleep(Math.max(0, began + (submitted * 1000) / Number(PER_SECOND) - performance.now()));
}
const sentForSeconds = seconds();
await Promise.all(underway);
kept.destroy();

const jobs = await finished(accepted, Number(FINISH_SECONDS));
const { counts } = await charges();
milliseconds.sort((a, b) => a - b);
console.log(
  JSON.stringify({
    seconds: Math.round(sentForSeconds),
    submitted,
    accepted: accepted.length,
    polls,
    answers,
    problems,
    completed: jobs.filter(({ status }) => status === 'completed').length,
    others: jobs
      .filter(({ status }) => status !== 'completed')
      .slice(0, 20)
      .map(({ id, status, error_message }) => ({ id, status, error_message })),
    chargedOnce: accepted.filter((id) => counts[id] === 1).length,
    medianMilliseconds: Math.round(milliseconds[Math.floor(milliseconds.length / 2)] ?? 0),
    slowestMilliseconds: Math.round(milliseconds.at(-1) ?? 0),
    allSeconds: Math.round(seconds()),
  }),
);
