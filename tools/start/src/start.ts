import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { claim, forgetData, isRunning, type ProcessIdentity, SetupError } from '@currawong/local-platform';
import { parseArguments, parsePort, type StartArguments, usage } from './arguments';
import { demoSignIn } from './demo-account';
import { type Interruption, listenForInterruption } from './interruption';
import { type Folders, type Platform, startPlatform } from './platform';
import { type Ready, ReadyFile } from './ready-file';
import { findRecording, transcribeAndPrint } from './recording';
import { Screen } from './screen';

const repository = join(__dirname, '..', '..', '..');
const home = join(repository, '.currawong');
const folders: Folders = { repository, tools: home, state: process.env['CURRAWONG_DATA_FOLDER'] ?? home };
const screen = new Screen(process.stdout);
const readyFile = new ReadyFile(folders.state);

/** Starts the platform, or finds the one that runs; gives the exit code. */
async function main(interruption: Interruption): Promise<number> {
  const parsed = parseArguments(process.argv.slice(2));
  if ('refusal' in parsed) throw new SetupError(parsed.refusal);
  const wish = parsed.arguments;
  if (wish.help) {
    screen.line(usage);
    return 0;
  }
  const port = parsePort(process.env['PORT']);
  if ('refusal' in port) throw new SetupError(port.refusal);
  const samples = join(repository, 'samples');
  const recording = findRecording(wish.file, process.env['INIT_CWD'] ?? process.cwd(), samples);
  if (wish.once && !recording)
    throw new SetupError('There is no sample recording in samples/: name a file after --once.');

  mkdirSync(folders.state, { recursive: true });
  const claimed = await claim(join(folders.state, 'start.lock'));
  if ('holder' in claimed) return useRunning(claimed.holder, wish, recording);
  try {
    if (wish.fresh) forgetData(folders.state);
    const starting = startPlatform(folders, port.port, screen, readyFile);
    const platform = await Promise.race([starting, interruption.asked]);
    // Interrupted half way: the keeper stops what has been started once this process is gone.
    if (!platform) process.exit(130);
    return await usePlatform(platform, wish, recording, interruption);
  } finally {
    claimed.release();
  }
}

async function usePlatform(
  platform: Platform,
  wish: StartArguments,
  recording: string | undefined,
  interruption: Interruption,
): Promise<number> {
  let completed: boolean | void = true;
  try {
    if (recording && (wish.once || wish.demo)) {
      completed = await Promise.race([transcribe(platform.ready, wish, recording), interruption.asked]);
    }
    if (!wish.once && !interruption.wasAsked()) {
      showAddresses(platform.ready, recording);
      screen.line('Ctrl-C stops everything; the data stays.');
      await keepAliveUntil(interruption.asked);
    }
  } finally {
    screen.line('Stopping …');
    await platform.stop();
  }
  if (!wish.once) return 0;
  return completed === true ? 0 : interruption.wasAsked() ? 130 : 1;
}

/** A second start does not start a second platform. */
async function useRunning(
  holder: ProcessIdentity,
  wish: StartArguments,
  recording: string | undefined,
): Promise<number> {
  if (wish.fresh)
    throw new SetupError(`Currawong is running (process ${holder.pid}): stop it before --fresh.`);
  const deadline = Date.now() + 240_000;
  let ready = readyFile.read();
  if (!ready) screen.line(`Another start is under way (process ${holder.pid}); waiting for it …`);
  for (; !ready; ready = readyFile.read()) {
    if (!isRunning(holder)) throw new SetupError('The other start has ended without success: start again.');
    if (Date.now() > deadline)
      throw new SetupError(`The other start (process ${holder.pid}) does not become ready: stop it.`);
    await sleep(300);
  }
  screen.line(`Currawong is already running (process ${holder.pid}) at ${ready.base_url}`);
  if (wish.once && recording) return (await transcribe(ready, wish, recording)) ? 0 : 1;
  showAddresses(ready, recording);
  return 0;
}

function transcribe(ready: Ready, wish: StartArguments, recording: string): Promise<boolean> {
  const api = { baseUrl: ready.base_url, apiKey: ready.api_key, accountId: ready.account_id };
  return transcribeAndPrint(
    api,
    { path: recording, speakers: wish.speakers, language: wish.language },
    screen,
  );
}

function showAddresses(ready: Ready, recording: string | undefined): void {
  const api = `${ready.base_url}/api/v1`;
  screen.line();
  screen.line(`  API         ${api}`);
  if (ready.dashboard_url) screen.line(`  Dashboard   ${ready.dashboard_url}`);
  const signIn = demoSignIn(folders.state);
  if (signIn) screen.line(`  Sign in     ${signIn.email} / ${signIn.password}`);
  screen.line(`  Key         ${ready.api_key}`);
  for (const [name, url] of Object.entries(ready.metrics_urls))
    screen.line(`  Metrics     ${url}/metrics  (${name})`);
  screen.line(`  Logs        ${join(folders.state, 'logs')}`);
  screen.line();
  screen.line('Try it:');
  screen.line(
    `  curl -H 'X-API-Key: ${ready.api_key}' -F 'file=@${recording ?? 'recording.wav'}' -F num_speakers=2 ${api}/transcribe`,
  );
  screen.line(`  curl -H 'X-API-Key: ${ready.api_key}' ${api}/jobs/JOB_ID`);
}

/** Timers and pipes of others may all be unreferenced: this one keeps the process there. */
async function keepAliveUntil(end: Promise<void>): Promise<void> {
  const timer = setInterval(() => undefined, 60_000);
  await end;
  clearInterval(timer);
}

void main(listenForInterruption())
  .catch((error: unknown) => {
    screen.close();
    process.stderr.write(`${error instanceof SetupError ? error.message : (error as Error).stack}\n`);
    return 1;
  })
  .then((exitCode) => process.exit(exitCode));
