import { CreateAccount, type KeyMode } from '@currawong/contracts';
import type { TestPlatform } from '@currawong/testing';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Operator } from './operator';

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export interface JobBody extends Record<string, unknown> {
  id: string;
  status: string;
  transcription: string | null;
  diarization: string | null;
  error_message: string | null;
  audio_duration_seconds: number | null;
  completed_at: string | null;
  progress: number;
}

/** What a customer's program does, over HTTP and nothing else. */
export class Client {
  constructor(
    readonly baseUrl: string,
    readonly apiKey: string | undefined,
  ) {}

  async get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  async send(method: string, path: string, body?: FormData | string): Promise<Answer> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: this.apiKey === undefined ? {} : { 'X-API-Key': this.apiKey },
      ...(body === undefined ? {} : { body }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  }

  async transcribe(
    file: string | { name: string; bytes: Uint8Array },
    fields: Record<string, string> = {},
  ): Promise<Answer> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    if (typeof file === 'string') form.set('file', await openAsBlob(file), basename(file));
    else form.set('file', new Blob([new Uint8Array(file.bytes)]), file.name);
    return this.send('POST', '/api/v1/transcribe', form);
  }

  /** Submits, and fails the test where that is not answered 200. */
  async submit(
    file: string | { name: string; bytes: Uint8Array },
    fields: Record<string, string> = {},
  ): Promise<string> {
    const answer = await this.transcribe(file, fields);
    if (answer.status !== 200)
      throw new Error(`POST /transcribe answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return String(answer.body['job_id']);
  }

  async job(id: string): Promise<JobBody> {
    const answer = await this.get(`/api/v1/jobs/${id}`);
    if (answer.status !== 200)
      throw new Error(`GET /jobs/${id} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body as JobBody;
  }

  /** Polls until the job is terminal; a service that is being restarted meanwhile is waited for. */
  async finished(id: string, withinSeconds = 60): Promise<JobBody> {
    return this.until(id, (job) => job.status === 'completed' || job.status === 'failed', withinSeconds);
  }

  /** Polls until the receipt of its deletion says that nothing is left, also while a service is being restarted. @returns the receipt */
  async erased(id: string, withinSeconds = 60): Promise<Record<string, unknown>> {
    const deadline = Date.now() + withinSeconds * 1000;
    for (;;) {
      const { status, body } = await this.get(`/api/v1/jobs/${id}/deletion`);
      if (status === 200 && body['erased_at'] !== null) return body;
      if (Date.now() > deadline)
        throw new Error(`not erased within ${withinSeconds} s: ${JSON.stringify(body)}`);
      await sleep(100);
    }
  }

  async until(id: string, reached: (job: JobBody) => boolean, withinSeconds = 60): Promise<JobBody> {
    const deadline = Date.now() + withinSeconds * 1000;
    let last: unknown;
    while (Date.now() < deadline) {
      try {
        const job = await this.job(id);
        if (reached(job)) return job;
        last = job;
      } catch (error) {
        last = error;
      }
      await sleep(100);
    }
    throw new Error(
      `job ${id} did not get there within ${withinSeconds} s: ${last instanceof Error ? last.message : JSON.stringify(last)}`,
    );
  }
}

/** A customer with an account of his own on a test platform. */
export async function newCustomer(
  platform: Pick<TestPlatform, 'baseUrl' | 'nats'>,
  {
    freeMinutes = 0,
    creditAud = '0',
    mode = 'live',
  }: { freeMinutes?: number; creditAud?: string; mode?: KeyMode } = {},
): Promise<Client & { accountId: string }> {
  const operator = await Operator.join(platform);
  try {
    const { account_id, api_key } = await operator.ask(CreateAccount, {
      email: `customer-${Math.random().toString(36).slice(2)}@example.com`,
      free_seconds: freeMinutes * 60,
      credit_micro_aud: Math.round(Number(creditAud) * 1_000_000),
      mode,
    });
    return Object.assign(new Client(platform.baseUrl, api_key), { accountId: account_id });
  } finally {
    await operator.leave();
  }
}
