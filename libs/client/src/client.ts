import type { CreditBody, JobDetail, LanguageList, SubmissionReceipt, UsageBody } from './api-types';
import { JobFailedError } from './errors';
import { Http, type HttpOptions } from './http';
import { Jobs, type Asking } from './jobs';
import { formBody, type UploadProgress } from './multipart';
import { sourceOf, type Recording } from './recording';
import { waitForEnd, type JobProgress } from './wait';

export type CurrawongOptions = HttpOptions;

/** What is wanted of a recording. What is left out is as the service has it: English, at most two speakers. */
export interface TranscribeOptions {
  /** Such as `en-AU`; `auto` where the engine can find out. `languages()` lists them. */
  language?: string | undefined;
  /** How many people speak, 1 to 10. */
  speakers?: number | undefined;
  /** Words and phrases to listen for. */
  prompt?: string | readonly string[] | undefined;
  /** Tone and sentiment, at a price of its own. */
  analysis?: 'sentiment' | undefined;
  /** Told when the job has ended. */
  webhookUrl?: string | undefined;
}

export interface SendingOptions extends Asking {
  /** In Node, for each piece that was sent; an upload that is begun again begins at 0. */
  onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Equal submissions with one key are one job; a key is made up for each call unless one is given. */
  idempotencyKey?: string | undefined;
}

export interface WaitOptions extends Asking {
  onProgress?: ((job: JobProgress) => void) | undefined;
}

/** One service with one API key. */
export class Currawong {
  readonly jobs: Jobs;
  private readonly http: Http;

  constructor(options: CurrawongOptions) {
    this.http = new Http(options);
    this.jobs = new Jobs(this.http);
  }

  /**
   * Sends a recording: from the disk in pieces, and again where the connection was lost or the service could not take it,
   * which makes one job however often.
   * @throws ApiError with the service's own sentence where it refuses
   */
  async transcribe(
    recording: Recording,
    options: TranscribeOptions = {},
    { onUploadProgress, idempotencyKey = crypto.randomUUID(), signal }: SendingOptions = {},
  ): Promise<SubmissionReceipt> {
    const source = sourceOf(recording);
    const fields = fieldsOf(options);
    return this.http.json<SubmissionReceipt>({
      method: 'POST',
      path: '/transcribe',
      headers: { 'Idempotency-Key': idempotencyKey },
      body: () => formBody(fields, source, onUploadProgress),
      signal,
      repeatable: true,
      unlimitedTime: true,
    });
  }

  /** Waits until the job has ended. A failed one is an answer as well: look at `status`. */
  async wait(jobId: string, { onProgress, signal }: WaitOptions = {}): Promise<JobDetail> {
    return waitForEnd(this.jobs, jobId, onProgress, signal);
  }

  /**
   * Sends a recording and waits for its text.
   * @throws JobFailedError where the job fails
   */
  async transcript(
    recording: Recording,
    options: TranscribeOptions = {},
    following: SendingOptions & WaitOptions = {},
  ): Promise<JobDetail> {
    const { job_id } = await this.transcribe(recording, options, following);
    const job = await this.wait(job_id, following);
    if (job.status === 'failed') throw new JobFailedError(job);
    return job;
  }

  languages({ signal }: Asking = {}): Promise<LanguageList> {
    return this.http.json({ method: 'GET', path: '/languages', signal, repeatable: true });
  }

  credit({ signal }: Asking = {}): Promise<CreditBody> {
    return this.http.json({ method: 'GET', path: '/credit', signal, repeatable: true });
  }

  /** Of the current month. An answer also says that the key is a valid one. */
  usage({ signal }: Asking = {}): Promise<UsageBody> {
    return this.http.json({ method: 'GET', path: '/usage', signal, repeatable: true });
  }
}

function fieldsOf({
  language,
  speakers,
  prompt,
  analysis,
  webhookUrl,
}: TranscribeOptions): Record<string, string> {
  const fields = {
    language,
    num_speakers: speakers?.toString(),
    prompt: typeof prompt === 'object' ? prompt.join(', ') : prompt,
    analysis,
    webhook_url: webhookUrl,
  };
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  );
}
