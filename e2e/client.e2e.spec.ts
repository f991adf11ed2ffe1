import { startPlatform, type TestPlatform } from '@currawong/testing';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { newCustomer, type Client } from './client';
import { converted, wav } from './recordings';

// The client library as a customer has it: packed, installed without a network into an empty folder, used there.
jest.setTimeout(180_000);

const repository = join(__dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'currawong-customer-'));
const npmEnvironment = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  npm_config_cache: join(folder, 'npm-cache'),
  npm_config_offline: 'true',
};

const wholeSample = join(repository, 'samples', 'two-voices.ogg');
let platform: TestPlatform;
/** Six seconds of speech. */
let sample: string;
let customer: Client & { accountId: string };

beforeAll(async () => {
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: join(repository, 'libs', 'client'),
    env: npmEnvironment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [, filename] = /"filename": "([^"]+)"/.exec(packed)!;
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', `./${filename}`], {
    cwd: folder,
    env: npmEnvironment,
    stdio: 'ignore',
  });
  sample = converted(wholeSample, 'ogg', '-t', '6');
  platform = await startPlatform({ env: { RECOGNIZER: 'pocketsphinx', SWEEP_INTERVAL_SECONDS: '0.2' } });
  customer = await newCustomer(platform, { creditAud: '10' });
}, 240_000);
afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true });
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** The command as it is installed; `during` hears what it has written so far, and may interrupt it. */
async function currawong(
  args: readonly string[],
  {
    env = {},
    during,
  }: { env?: Record<string, string>; during?: (err: string, interrupt: () => void) => void } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [join(folder, 'node_modules', '.bin', 'currawong'), ...args], {
    cwd: folder,
    env: { CURRAWONG_URL: platform.baseUrl, CURRAWONG_API_KEY: customer.apiKey!, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    during?.(err, () => child.kill('SIGINT'));
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, err };
}

describe('the package', () => {
  it('is one package alone, and its command says what it can', () => {
    expect(
      execFileSync('npm', ['ls', '--all', '--parseable'], {
        cwd: folder,
        env: npmEnvironment,
        encoding: 'utf8',
      })
        .trim()
        .split('\n'),
    ).toHaveLength(2);
    const help = execFileSync('npx', ['--no-install', 'currawong', '--help'], {
      cwd: folder,
      env: npmEnvironment,
      encoding: 'utf8',
    });
    expect(help).toMatch(/^Usage: currawong COMMAND/);
    for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(125);
  });

  it.each([
    ['required', 'use.cjs', `const { Currawong } = require('@currawong/client');`],
    ['imported', 'use.mjs', `import { Currawong } from '@currawong/client';`],
  ])('transcribes where it is %s', async (_, name, statement) => {
    writeFileSync(
      join(folder, name),
      `${statement}
       new Currawong({ apiKey: process.env.KEY, baseUrl: process.env.URL })
         .transcript(${JSON.stringify(sample)}, { speakers: 2 })
         .then((job) => console.log(JSON.stringify([job.status, job.segments.length > 0, job.num_speakers])));`,
    );
    const env = { KEY: customer.apiKey!, URL: platform.baseUrl };
    const out = execFileSync(process.execPath, [name], { cwd: folder, env, encoding: 'utf8' });
    expect(JSON.parse(out)).toEqual(['completed', true, 2]);
  });

  it.each([
    ['a program for Node that imports it', 'nodenext', 'types.mts'],
    ['a program for Node that requires it', 'nodenext', 'types.cts'],
    ['a page for a bundler', 'bundler', 'types.ts'],
  ])('has types for %s', (_, resolution, name) => {
    writeFileSync(
      join(folder, name),
      `import { Currawong, RateLimitError, verifyWebhook, type JobDetail } from '@currawong/client';
       const client = new Currawong({ apiKey: 'a', baseUrl: 'https://b' });
       export const job: Promise<JobDetail> = client.transcript(new File(['a'], 'a.wav'), { speakers: 2 });
       export const text: Promise<string | null> = job.then(({ transcription }) => transcription);
       export const wait = (error: unknown): number | undefined => error instanceof RateLimitError ? error.retryAfter : 0;
       export const event = verifyWebhook('', new Headers(), 'whsec_a');
       // @ts-expect-error: there is no such option
       void client.transcribe('a.wav', { speaker: 2 });`,
    );
    const module = resolution === 'bundler' ? 'esnext' : resolution;
    const options = ['--strict', '--noEmit', '--lib', 'es2023,dom', '--target', 'es2022'];
    const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
    const run = () =>
      execFileSync(
        process.execPath,
        [tsc, ...options, '--module', module, '--moduleResolution', resolution, name],
        {
          cwd: folder,
          encoding: 'utf8',
        },
      );
    expect(run()).toBe('');
  });
});

describe('currawong transcribe', () => {
  it('prints the text alone on standard output, and how it went on standard error', async () => {
    const { code, out, err } = await currawong(['transcribe', sample, '--speakers', '2']);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/✓ 6 s of audio for AUD 0\.0\d+, in \d+ s\. Job [0-9a-f-]{36}\n$/),
    ]);
    expect(out).toMatch(/^Speaker 1: \w/);
    expect(err).toMatch(/^Upload +0 % .*\n[^]*Upload 100 % {2}0\.\d MB of 0\.\d MB\n/);
    expect(err).toMatch(/Job +\d+ %/);
    expect(err).not.toMatch(/[\r\x1b]/);
  });

  // Elsewhere the program that makes a terminal takes other options.
  (process.platform === 'linux' ? it : it.skip)('draws one bar over the other in a terminal', async () => {
    const text = await inTerminal(['transcribe', sample, '--format', 'srt']);
    expect(text).toMatch(/\r\x1b\[KUpload █{24} 100 %/);
    expect(text).toMatch(/\r\x1b\[KJob {4}[█░]{24} +\d+ %/);
    expect(text).toMatch(/\r\x1b\[K1\r\n00:00:0\d,\d{3} --> 00:00:/);
    for (const drawn of text.match(/\x1b\[K(?:Upload|Job)[^\r]*/g)!)
      expect(drawn.length).toBeLessThan(80 + 3);
  });

  it('writes a file in the format that its name says, with the words where they are wanted', async () => {
    const { code, out, err } = await currawong([
      ...['transcribe', sample, '--output', 'talk.json', '--words', '--language', 'en-AU'],
    ]);
    expect([code, out, err]).toEqual([0, '', expect.stringContaining('Written to talk.json')]);
    const job = JSON.parse(readFileSync(join(folder, 'talk.json'), 'utf8'));
    expect(job).toMatchObject({ status: 'completed', language: 'en' });
    expect(job.segments[0].words[0]).toMatchObject({ text: expect.any(String), start: expect.any(Number) });
  });

  it('need not wait; the job can then be shown, listed, printed and deleted', async () => {
    const sent = await currawong(['transcribe', sample, '--no-wait']);
    const id = sent.out.trim();
    expect([sent.code, id]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    await customer.finished(id);
    expect((await currawong(['job', id])).out).toMatch(/Status {4}completed\n/);
    expect((await currawong(['jobs'])).out).toContain(`${id}  completed`);
    expect((await currawong(['transcript', id, '--format', 'vtt'])).out).toMatch(/^WEBVTT\n/);
    expect(await currawong(['delete', id])).toMatchObject({ code: 0 });
    expect(await currawong(['job', id])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Job not found'),
    });
  });

  it('asks before Ctrl-C cancels the job, and then nothing is charged', async () => {
    await platform.halt('worker');
    try {
      const before = (await customer.get('/api/v1/credit')).body;
      let interruptions = 0;
      const { code, err } = await currawong(['transcribe', sample], {
        during: (text, interrupt) => {
          const due = Number(/Job +\d+ %/.test(text)) + Number(text.includes('Ctrl-C once more'));
          for (; interruptions < due; interruptions++) interrupt();
        },
      });
      expect([code, err]).toEqual([130, expect.stringMatching(/Cancelled job [0-9a-f-]{36}\.\n$/)]);
      const id = /Cancelled job (\S+)\./.exec(err)![1]!;
      expect(await customer.job(id)).toMatchObject({
        status: 'failed',
        error_message: 'Cancelled by the client',
      });
      expect((await customer.get('/api/v1/credit')).body).toEqual(before);
    } finally {
      await platform.resume('worker');
    }
  });

  it('ends an upload at the first Ctrl-C', async () => {
    // Takes everything and answers nothing.
    const server = createServer((request) => void request.resume()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const env = { CURRAWONG_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const during = once((text) => text.includes('100 %'));
    const { code, err } = await currawong(['transcribe', sample], { env, during });
    server.closeAllConnections();
    server.close();
    expect([code, err]).toEqual([130, expect.stringMatching(/Interrupted: nothing was kept\.\n$/)]);
  });

  it('says what became of a job that failed', async () => {
    writeFileSync(join(folder, 'broken.wav'), brokenRecording());
    const { code, err } = await currawong(['transcribe', 'broken.wav']);
    expect([code, err]).toEqual([1, expect.stringMatching(/(failed: |file: ).+\n$/)]);
  });
});

it.each<[string, string[], Record<string, string>, number, RegExp]>([
  ['no key', ['credit'], { CURRAWONG_API_KEY: '' }, 2, /^No API key: set CURRAWONG_API_KEY or pass --key\./],
  ['no address', ['credit'], { CURRAWONG_URL: '' }, 2, /^No address: set CURRAWONG_URL or pass --url/],
  [
    'a wrong key',
    ['whoami', '--key', 'sk_live_no'],
    {},
    3,
    /^The API key was not accepted: check CURRAWONG_API_KEY/,
  ],
  ['no such file', ['transcribe', 'no.wav'], {}, 2, /^There is no file no\.wav\.\n$/],
  [
    'a folder that is not there',
    ['transcribe', wholeSample, '--output', 'no/a.txt'],
    {},
    2,
    /^no\/a\.txt cannot be written\.\n$/,
  ],
  ['an unknown command', ['sing'], {}, 2, /^There is no command sing\. See currawong --help\n$/],
  ['an unknown option', ['jobs', '--all'], {}, 2, /^Unknown option '--all'\. See currawong --help\n$/],
  [
    'too many speakers',
    ['transcribe', wholeSample, '--speakers', '11'],
    {},
    2,
    /^--speakers must be a whole number from 1 to 10\./,
  ],
  [
    'a language that is not known',
    ['transcribe', wholeSample, '--language', 'xx'],
    {},
    1,
    /language: must be one of /,
  ],
  ['a job that is not there', ['transcript', 'nothing'], {}, 1, /^Job not found/],
])('with %s it says so in a sentence and ends with its code', async (_, args, env, code, sentence) => {
  expect(await currawong(args, { env })).toEqual({ code, out: '', err: expect.stringMatching(sentence) });
});

it('without credit it says what is there, and ends with 4', async () => {
  const poor = await newCustomer(platform);
  const { code, err } = await currawong(['transcribe', sample, '--key', poor.apiKey!]);
  expect([code, err]).toEqual([4, expect.stringMatching(/Your available balance is AUD 0\.00/)]);
});

it('credit and whoami show the account; a key is never shown whole', async () => {
  const other = await newCustomer(platform, { creditAud: '3' });
  const credit = await currawong(['credit', '--key', other.apiKey!]);
  expect([credit.code, credit.out]).toEqual([0, expect.stringMatching(/^Balance {7}AUD 3\.00\n/)]);
  const { out } = await currawong(['whoami', '--key', other.apiKey!]);
  expect(out).toMatch(/^Key {9}sk_live_….{4}, valid\nMode {8}live\n/);
  expect(out).not.toContain(other.apiKey);
});

it('a limit on requests is waited for and said', async () => {
  const limited = await startPlatform({
    env: { RECOGNIZER: 'null', RATE_LIMIT_TRANSCRIBE_PER_MINUTE: '1' },
    services: ['billing', 'jobs', 'gateway'],
  });
  try {
    const { apiKey } = await newCustomer(limited, { creditAud: '10' });
    writeFileSync(join(folder, 'short.wav'), wav(1));
    const send = (during?: (err: string, interrupt: () => void) => void) =>
      currawong(['transcribe', 'short.wav', '--no-wait'], {
        env: { CURRAWONG_URL: limited.baseUrl, CURRAWONG_API_KEY: apiKey! },
        ...(during && { during }),
      });
    expect((await send()).code).toBe(0);
    // Nobody waits for the minute here: what counts is that it would.
    const { code, err } = await send(once((text) => text.includes('Trying again')));
    expect([code, err]).toEqual([
      130,
      expect.stringMatching(/rate limit is exceeded.* Trying again in (\d+ min )?\d+ s …\n/),
    ]);
  } finally {
    await limited.stop();
  }
});

/** Interrupts a command the first time that what it has written is so. */
function once(isTime: (text: string) => boolean): (text: string, interrupt: () => void) => void {
  let done = false;
  return (text, interrupt) => {
    if (done || !isTime(text)) return;
    done = true;
    interrupt();
  };
}

/** What the command writes where a person sits, everything together. */
async function inTerminal(args: readonly string[]): Promise<string> {
  const program = [process.execPath, join(folder, 'node_modules', '.bin', 'currawong'), ...args];
  const quoted = program.map((part) => `'${part.replaceAll("'", `'\\''`)}'`).join(' ');
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const child = spawn(
    'script',
    ['--quiet', '--return', '--command', `stty cols 80; ${quoted}`, '/dev/null'],
    {
      cwd: folder,
      env: {
        CURRAWONG_URL: platform.baseUrl,
        CURRAWONG_API_KEY: customer.apiKey!,
        PATH: process.env['PATH'],
        HOME: home,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  expect(code).toBe(0);
  return text;
}

/** Looks like a WAV file, in a codec that nobody has. */
function brokenRecording(): Buffer {
  const bytes = Buffer.concat([wav(0).subarray(0, 44), Buffer.from('fmt '.repeat(4000))]);
  bytes.writeUInt16LE(0x1234, 20);
  return bytes;
}
