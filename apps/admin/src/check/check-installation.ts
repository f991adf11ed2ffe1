import {
  CreateAccount,
  SetAccountState,
  type JobDetail,
  type PayloadOf,
  type ReplyOf,
  type RequestContract,
  type Result,
  type SubmissionReceipt,
} from '@currawong/contracts';
import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CheckFailure } from './check-failure';
import { Gateway } from './gateway';

/** Asks a service over NATS. */
export type Ask = <C extends RequestContract>(
  contract: C,
  payload: PayloadOf<C>,
) => Promise<Result<ReplyOf<C>>>;

export interface Installation {
  /** Where customers reach the gateway, without a slash at the end. */
  baseUrl: string;
  /** A recording of two voices. */
  samplePath: string;
  ask: Ask;
  /** For everything together. */
  withinSeconds: number;
}

/** More than the sample takes, and enough that no message about a low balance is sent. */
const FREE_SECONDS = 3_600;
/** Below the limit of 60 requests a minute. */
const POLL_EVERY_MS = 2_000;

/**
 * Sends a recording through the whole installation, as a customer would: an account, an upload, the finished transcript.
 * Every run makes an account of its own and closes it at the end, also when it fails: a key that was left anywhere is of no
 * use afterwards, and runs do not disturb each other.
 * @param report told of each step, with what came out of it
 * @throws CheckFailure
 */
export async function checkInstallation(
  { baseUrl, samplePath, ask, withinSeconds }: Installation,
  report: (step: string, outcome: string) => void,
): Promise<void> {
  const until = Date.now() + withinSeconds * 1_000;
  const gateway = new Gateway(baseUrl, until);

  await gateway.untilHealthy(60_000);
  report('gateway', `${baseUrl} answers`);

  // A name of the domain that can never get mail.
  const email = `installation-check-${randomUUID()}@currawong.invalid`;
  const account = await asked('account', ask(CreateAccount, { ...NEW_ACCOUNT, email }));
  report('account', `${email} with ${FREE_SECONDS / 60} free minutes`);
  try {
    const form = new FormData();
    form.set('file', await recording(samplePath), basename(samplePath));
    form.set('num_speakers', '2');
    const receipt = await gateway.call<SubmissionReceipt>(
      'POST',
      '/api/v1/transcribe',
      account.api_key,
      form,
    );
    report('upload', `${basename(samplePath)} is job ${receipt.job_id}`);

    const job = await finished(gateway, account.api_key, receipt.job_id, until);
    report('transcription', `${job.audio_duration_seconds ?? 0} s of audio`);
    report('transcript', `\n${checkedTranscript(job)}\n`);
  } finally {
    const closed = await ask(SetAccountState, { account_id: account.account_id, state: 'closed' }).catch(
      (error: unknown) => error,
    );
    const ok = closed instanceof Error ? false : (closed as Result<unknown>).ok;
    report('clean-up', ok ? 'the account is closed' : `${email} could not be closed: close it by hand`);
  }
}

const NEW_ACCOUNT = { free_seconds: FREE_SECONDS, credit_micro_aud: 0, mode: 'live' } as const;

async function asked<T>(step: string, answer: Promise<Result<T>>): Promise<T> {
  const result = await answer.catch((error: unknown) => {
    throw new CheckFailure(
      `The ${step} could not be made over NATS: ${error instanceof Error ? error.message : String(error)}`,
      'Look at the logs of the gateway and billing, which answer this, and at the NATS server',
    );
  });
  if (result.ok) return result.value;
  throw new CheckFailure(
    `The ${step} was refused: ${result.refusal.detail}`,
    'Look at the log of the gateway',
  );
}

async function recording(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path);
  } catch {
    throw new CheckFailure(
      `There is no recording at ${path}`,
      'Set SAMPLE_PATH to a recording of two voices',
    );
  }
}

/** Polls until the job is completed, and says which part is behind where it is not in time. */
async function finished(gateway: Gateway, apiKey: string, id: string, until: number): Promise<JobDetail> {
  for (;;) {
    const job = await gateway.call<JobDetail>('GET', `/api/v1/jobs/${id}`, apiKey);
    if (job.status === 'completed') return job;
    if (job.status === 'failed')
      throw new CheckFailure(
        `Job ${id} failed: ${job.error_message ?? 'no reason was given'}`,
        'Look at the logs of the workers and of jobs for this id',
      );
    if (Date.now() > until)
      throw new CheckFailure(
        `Job ${id} is ${job.status} and ${Math.round(job.progress * 100)} % done, but not finished in time`,
        job.progress > 0
          ? 'The workers have begun it: give them more CPU, or the check more time by its timeout'
          : 'No worker has begun it: look whether the worker pods run, and with scaling to zero, at their ScaledObject',
      );
    await sleep(POLL_EVERY_MS);
  }
}

/** One turn a line. @throws CheckFailure where the text is empty or does not come from two speakers */
function checkedTranscript(job: JobDetail): string {
  const look = 'Look at the logs of the workers: the engine that they run may not be the one you expect';
  if (!job.transcription?.trim()) throw new CheckFailure(`The transcript of job ${job.id} is empty`, look);
  const speakers = new Set(job.segments?.map(({ speaker }) => speaker));
  if (speakers.size !== 2)
    throw new CheckFailure(`Of the two voices of the sample ${speakers.size} were told apart`, look);
  return job.diarization ?? '';
}
