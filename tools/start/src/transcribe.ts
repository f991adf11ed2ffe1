import { randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { basename } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The part of a job's detail form that is shown here. */
export interface Job {
  readonly id: string;
  readonly status: string;
  readonly progress?: number | null;
  readonly audio_duration_seconds: number | null;
  readonly transcription: string | null;
  readonly diarization: string | null;
  readonly error_message: string | null;
}

export interface Api {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface Recording {
  readonly path: string;
  readonly speakers?: number | undefined;
  readonly language?: string | undefined;
}

/** The API did not take the recording; the message is its own sentence. */
export type Submission = { readonly jobId: string } | { readonly refusal: string };

/**
 * Streams the recording through POST /api/v1/transcribe; `onProgress` hears the fraction sent. Where the minute's
 * transcriptions are used up it waits for the next ones.
 */
export async function submit(
  api: Api,
  recording: Recording,
  onProgress: (fraction: number) => void,
): Promise<Submission> {
  for (;;) {
    const answer = await upload(api, recording, onProgress);
    if (answer.status === 429 && answer.retryAfter !== undefined) {
      await sleep(Number(answer.retryAfter) * 1000);
      continue;
    }
    const { job_id: jobId, detail } = parseBody(answer.body) as { job_id?: string; detail?: string };
    return answer.status === 200 && jobId
      ? { jobId }
      : { refusal: detail ?? `The API answered ${answer.status}.` };
  }
}

function upload(api: Api, recording: Recording, onProgress: (fraction: number) => void): Promise<PostAnswer> {
  const boundary = `currawong-${randomUUID()}`;
  const fields = { num_speakers: recording.speakers, language: recording.language };
  const head = Buffer.from(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(
        ([name, value]) =>
          `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      .join('') +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quotable(basename(recording.path))}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const sizeBytes = statSync(recording.path).size;
  let sentBytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sentBytes += chunk.length;
      onProgress(sizeBytes === 0 ? 1 : sentBytes / sizeBytes);
      done(null, chunk);
    },
  });
  async function* body() {
    yield head;
    yield* createReadStream(recording.path).pipe(meter) as AsyncIterable<Buffer>;
    yield end;
  }
  return post(`${api.baseUrl}/api/v1/transcribe`, Readable.from(body()), {
    'X-API-Key': api.apiKey,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Content-Length': String(head.length + sizeBytes + end.length),
  });
}

/**
 * Asks for the job until it has ended: soon at first, because short recordings are done in a second or two, and then at
 * a pace that stays within the API's 60 requests a minute with room for others that use the same key.
 */
export async function waitForJob(api: Api, jobId: string, onProgress: (job: Job) => void): Promise<Job> {
  for (let asked = 0; ; asked += 1) {
    const response = await fetch(`${api.baseUrl}/api/v1/jobs/${jobId}`, {
      headers: { 'X-API-Key': api.apiKey },
    });
    const text = await response.text();
    if (response.status === 429) {
      await sleep((Number(response.headers.get('retry-after')) || 5) * 1000);
      continue;
    }
    // A dependency that is being restarted comes back: only an answer about the job itself ends the waiting.
    if (response.status < 500) {
      if (!response.ok)
        throw new Error(`The API answered ${response.status} for job ${jobId}: ${text.slice(0, 200)}`);
      const job = JSON.parse(text) as Job;
      onProgress(job);
      if (job.status === 'completed' || job.status === 'failed') return job;
    }
    await sleep(asked < 5 ? 500 : 1500);
  }
}

interface PostAnswer {
  status: number;
  /** Seconds, as they were sent. */
  retryAfter: string | undefined;
  body: string;
}

function post(url: string, body: Readable, sent: OutgoingHttpHeaders): Promise<PostAnswer> {
  const ask = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = ask(url, { method: 'POST', headers: sent });
    let answered = false;
    request.once('response', (response) => {
      answered = true;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      const { statusCode: status = 0, headers } = response;
      response.once('end', () => resolve({ status, retryAfter: headers['retry-after'], body: text }));
      response.once('error', reject);
    });
    request.once('error', reject);
    // A refusal may come before all is sent: then the answer counts, not the broken pipe.
    pipeline(body, request).catch((error: Error) => {
      if (!answered) setTimeout(() => reject(error), 500).unref();
    });
  });
}

function parseBody(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}

/** File names go into a quoted header parameter. */
function quotable(name: string): string {
  return name.replaceAll('"', '%22').replaceAll(/[\r\n]/g, ' ');
}
