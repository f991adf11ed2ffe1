import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestPlatform } from '@currawong/testing';
import { HttpClient, type Sent } from './http-client';
import type { Recording } from './recordings';

export interface Receipt extends Sent {
  readonly jobId: string;
}

export interface JobWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly confidence: number | null;
}

export interface FinishedJob {
  readonly completedAtMs: number;
}

/** A customer with credit for the whole run: whoever runs out of it would measure refusals. */
export async function newCustomer(platform: TestPlatform): Promise<Customer> {
  const { api_key } = await platform.admin<{ api_key: string }>(
    ...['account', 'create', '--email', `bench-${randomUUID()}@example.com`],
    ...['--free-minutes', '0', '--credit-aud', '10000'],
  );
  return new Customer(platform.baseUrl, api_key);
}

export class Customer {
  readonly #http = new HttpClient();

  constructor(
    readonly baseUrl: string,
    readonly apiKey: string,
  ) {}

  get headers(): Record<string, string> {
    return { 'x-api-key': this.apiKey };
  }

  jobUrl(id: string): string {
    return `${this.baseUrl}/api/v1/jobs/${id}`;
  }

  /** Uploads one recording. @throws Error when that is not answered 200 */
  async submit(recording: Recording): Promise<Receipt> {
    const boundary = `----bench${randomUUID()}`;
    const head = Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${recording.filename}"\r\n` +
        'content-type: audio/wav\r\n\r\n',
    );
    const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
    const sent = await this.#http.send(
      'POST',
      `${this.baseUrl}/api/v1/transcribe`,
      { ...this.headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
      {
        lengthBytes: head.length + recording.sizeBytes + tail.length,
        *chunks() {
          yield head;
          yield* recording.chunks();
          yield tail;
        },
      },
    );
    if (sent.status !== 200)
      throw new Error(`POST /transcribe answered ${sent.status}: ${sent.body.toString()}`);
    return { ...sent, jobId: (JSON.parse(sent.body.toString()) as { job_id: string }).job_id };
  }

  /** The body of GET /jobs/{id} as it came. */
  async jobBody(id: string): Promise<Buffer> {
    const answer = await this.#http.send('GET', this.jobUrl(id), this.headers);
    if (answer.status !== 200)
      throw new Error(`GET /jobs/${id} answered ${answer.status}: ${answer.body.toString()}`);
    return answer.body;
  }

  /** The words of a finished job, in order. */
  async words(id: string): Promise<JobWord[]> {
    const url = `${this.jobUrl(id)}?words=true`;
    const answer = await this.#http.send('GET', url, this.headers);
    if (answer.status !== 200)
      throw new Error(`GET ${url} answered ${answer.status}: ${answer.body.toString()}`);
    const { segments } = JSON.parse(answer.body.toString()) as { segments: { words: JobWord[] }[] };
    return segments.flatMap(({ words }) => words);
  }

  /**
   * Waits until the job is completed, asking at this interval: the platform writes down when that was, so asking more often
   * would only slow what is measured. @throws Error when it failed, or took longer than the limit
   */
  async completed(id: string, everyMs: number, limitSeconds = 120): Promise<FinishedJob> {
    const deadline = performance.now() + limitSeconds * 1000;
    for (;;) {
      const job = JSON.parse((await this.jobBody(id)).toString()) as {
        status: string;
        completed_at: string | null;
        error_message: string | null;
      };
      if (job.status === 'completed') return { completedAtMs: Date.parse(job.completed_at!) };
      if (job.status === 'failed') throw new Error(`Job ${id} failed: ${job.error_message}`);
      if (performance.now() > deadline)
        throw new Error(`Job ${id} is still ${job.status} after ${limitSeconds} s`);
      await sleep(everyMs);
    }
  }

  close(): void {
    this.#http.close();
  }
}
