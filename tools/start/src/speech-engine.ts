import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Screen } from './screen';

/** Which speech engine this start is to have, as far as it is known before anything is installed. */
export interface SpeechPlan {
  /** Their requirements files are installed. */
  readonly engines: readonly string[];
  /** For the workers; nothing where the person has chosen. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the model is still to be fetched. */
  readonly fetches: boolean;
  /** Why it is not the best engine. */
  readonly remark?: string;
}

/** These come as packages, weights included. */
const INCLUDED = ['moonshine', 'speakers'];
/** A server that does not answer in this time is left alone, */
const PROBE_SECONDS = 3;
/** and not asked again for as long as this. */
const REMEMBERED_SECONDS = 3600;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * faster-whisper where its model is here or can be fetched, else Moonshine: without a network a start is not slower than
 * PROBE_SECONDS, and that once an hour. RECOGNIZER, where it is set, is what counts.
 */
export async function planSpeech(
  repository: string,
  modelsFolder: string,
  environment: Environment = process.env,
  now = Date.now(),
): Promise<SpeechPlan> {
  const { RECOGNIZER, MODEL = 'faster-whisper-small', MODEL_DIR = modelsFolder } = environment;
  const withWhisper = [...INCLUDED, 'faster-whisper'];
  if (RECOGNIZER === 'faster-whisper') return { engines: withWhisper, env: { MODEL_DIR }, fetches: false };
  if (RECOGNIZER !== undefined && RECOGNIZER !== 'auto')
    return { engines: INCLUDED, env: {}, fetches: false };
  const env = { RECOGNIZER: 'auto', MODEL_DIR };
  const isHere = [MODEL_DIR, join(MODEL_DIR, MODEL)].some((folder) => existsSync(join(folder, 'model.bin')));
  if (isHere) return { engines: withWhisper, env, fetches: false };
  const address = addressOf(repository, MODEL, environment);
  if (address && (await answers(address, join(modelsFolder, 'unreachable.json'), now)))
    return { engines: withWhisper, env, fetches: true };
  const why = address
    ? `${new URL(address).host} cannot be reached`
    : `${MODEL} is not in the list of models`;
  return {
    engines: INCLUDED,
    env,
    fetches: false,
    remark: `Speech engine: Moonshine, English only; no Whisper model is in ${MODEL_DIR}, and ${why} (docs/engines.md)`,
  };
}

/** Fetches the model with a bar. @returns a line that says why it could not be; then another engine is taken. */
export async function fetchModel(
  repository: string,
  env: Readonly<Record<string, string>>,
  screen: Screen,
): Promise<string | undefined> {
  const bar = screen.bar('Whisper model (Ctrl-C and RECOGNIZER=moonshine npm start do without)');
  const child = spawn(process.execPath, [join(repository, 'apps', 'worker', 'dist', 'fetch-model.js')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = text.trim()));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [received = 0, total = 0] = line.split(' ').map(Number);
    if (total > 0)
      bar.show(received / total, `${(received / 1e6).toFixed(0)} of ${(total / 1e6).toFixed(0)} MB`);
  });
  const code = await new Promise((ended) => child.once('close', ended).once('error', () => ended(1)));
  if (code !== 0) return complaint.split('\n').at(-1) || 'The Whisper model could not be fetched.';
  bar.done('Whisper model');
  return undefined;
}

function addressOf(repository: string, model: string, environment: Environment): string | undefined {
  const manifest = environment['MODEL_MANIFEST'] ?? join(repository, 'engines', 'models.json');
  try {
    const models = JSON.parse(readFileSync(manifest, 'utf8')) as Record<
      string,
      { url: string; files: object }
    >;
    const { url, files } = models[model]!;
    return `${(environment['MODEL_URL'] ?? url).replace(/\/+$/, '')}/${Object.keys(files)[0]}`;
  } catch {
    return undefined;
  }
}

async function answers(address: string, notePath: string, now: number): Promise<boolean> {
  if (wasUnreachable(address, notePath, now)) return false;
  try {
    const response = await fetch(address, {
      method: 'HEAD',
      signal: AbortSignal.timeout(PROBE_SECONDS * 1000),
    });
    if (response.ok) {
      rmSync(notePath, { force: true });
      return true;
    }
  } catch {
    // Noted below.
  }
  mkdirSync(join(notePath, '..'), { recursive: true });
  writeFileSync(notePath, JSON.stringify({ address, at: now }));
  return false;
}

function wasUnreachable(address: string, notePath: string, now: number): boolean {
  try {
    const note = JSON.parse(readFileSync(notePath, 'utf8')) as { address: string; at: number };
    return note.address === address && now - note.at < REMEMBERED_SECONDS * 1000;
  } catch {
    return false;
  }
}
