// What a customer does, from a pod of the cluster: `node customer.mjs finished ID…` prints one line of JSON.
// BASE_URL and API_KEY say where and as whom.
import { Agent, request } from 'node:http';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL, API_KEY } = process.env;

/**
 * One request to its end.
 * @param body bytes, or pieces that arrive over time
 * @returns status 0 and the error's code where no answer came
 */
export function send(method, path, { agent = false, headers = {}, body, timeoutMs = 60_000 } = {}) {
  return new Promise((resolve) => {
    const began = performance.now();
    const outcome = (status, text) => resolve({ status, text, milliseconds: performance.now() - began });
    const asked = request(`${BASE_URL}${path}`, {
      method,
      agent,
      headers: { 'X-API-Key': API_KEY, ...headers },
      timeout: timeoutMs,
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer in time')));
    asked.once('error', (error) => outcome(0, error.code ?? error.message));
    asked.once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => (text += piece));
      answer.once('error', (error) => outcome(0, `in the answer: ${error.code ?? error.message}`));
      answer.once('end', () => outcome(answer.statusCode, text));
    });
    if (body === undefined || Buffer.isBuffer(body)) asked.end(body);
    else body(asked).catch((error) => asked.destroy(error));
  });
}

/** A form with one recording in it. */
export function form(name, bytes, fields = {}) {
  const boundary = randomUUID();
  const part = (disposition) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
  const head = Object.entries(fields).map(([key, value]) => `${part(`name="${key}"`)}${value}\r\n`);
  const body = Buffer.concat([
    Buffer.from(head.join('')),
    Buffer.from(part(`name="file"; filename="${name}"`)),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return {
    body,
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}`, 'Content-Length': body.length },
  };
}

export async function job(id, options) {
  const { status, text } = await send('GET', `/api/v1/jobs/${id}`, options);
  if (status !== 200) throw new Error(`GET /jobs/${id} answered ${status}: ${text}`);
  return JSON.parse(text);
}

/** Polls until each job has ended; a gateway that is away meanwhile is asked again. */
export async function finished(ids, withinSeconds) {
  const deadline = Date.now() + withinSeconds * 1000;
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const ended = new Map();
  const last = new Map();
  while (ended.size < ids.length && Date.now() < deadline) {
    for (const id of ids.filter((one) => !ended.has(one))) {
      // Short: a connection to a pod that is gone says nothing, and holds up the answers about all the others.
      const seen = await job(id, { agent, timeoutMs: 5_000 }).catch((error) => ({
        status: 'unknown',
        error_message: error.message,
      }));
      last.set(id, seen);
      if (seen.status === 'completed' || seen.status === 'failed') ended.set(id, seen);
      if (Date.now() > deadline) break;
    }
    await sleep(300);
  }
  agent.destroy();
  return ids.map((id) => ({ id, ...(ended.get(id) ?? last.get(id)) }));
}

/** How often each job was charged this month. */
export async function charges() {
  const counts = {};
  for (let after = null; ;) {
    const { status, text } = await send('GET', `/api/v1/statement${after === null ? '' : `?after=${after}`}`);
    if (status !== 200) throw new Error(`GET /statement answered ${status}: ${text}`);
    const page = JSON.parse(text);
    for (const line of page.lines)
      if (line.kind === 'job') counts[line.job_id] = (counts[line.job_id] ?? 0) + 1;
    if (page.next_after === null) return { counts, totals: page.totals };
    after = page.next_after;
  }
}

/** 16 kHz mono, 16 bit: a tone of so many seconds. */
function tone(seconds) {
  const samples = Math.round(seconds * 16_000);
  const bytes = Buffer.alloc(44 + samples * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + samples * 2, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(16_000, 24);
  bytes.writeUInt32LE(32_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples * 2, 40);
  for (let index = 0; index < samples; index++) {
    bytes.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * 440 * index) / 16_000)), 44 + index * 2);
  }
  return bytes;
}

const commands = {
  async submit(path, speakers = '2') {
    const made = form(basename(path), readFileSync(path), { num_speakers: speakers });
    return send('POST', '/api/v1/transcribe', made);
  },
  async 'submit-tone'(seconds) {
    const made = form('tone.wav', tone(Number(seconds)), { num_speakers: '1' });
    return send('POST', '/api/v1/transcribe', made);
  },
  /** An upload that takes so many seconds, as from a customer with a slow line. */
  async 'submit-slowly'(path, seconds) {
    const { headers, body } = form(basename(path), readFileSync(path));
    const pieces = Math.max(2, Math.floor(Number(seconds) * 4));
    const size = Math.ceil(body.length / pieces);
    return send('POST', '/api/v1/transcribe', {
      headers,
      timeoutMs: 600_000,
      async body(asked) {
        for (let at = 0; at < body.length; at += size) {
          asked.write(body.subarray(at, at + size));
          await sleep((Number(seconds) * 1000) / pieces);
        }
        asked.end();
      },
    });
  },
  job: (id) => job(id),
  finished: (withinSeconds, ...ids) => finished(ids, Number(withinSeconds)),
  charges,
  get: (path) => send('GET', path),
};

if (import.meta.main) {
  const [command, ...words] = process.argv.slice(2);
  console.log(JSON.stringify(await commands[command](...words)));
}
