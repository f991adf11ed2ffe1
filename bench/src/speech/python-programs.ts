import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureVenv } from '@currawong/local-platform';
import type { Recording, TimedWord } from './quality';

/** Texts as the words that are compared: Whisper's English normaliser, which published word error rates are made with. */
export type Normalise = (texts: readonly string[]) => Promise<string[][]>;

/** @throws SetupError where its Python packages cannot be installed */
export async function whisperNormaliser(repositoryFolder: string): Promise<Normalise> {
  const folder = join(repositoryFolder, 'bench', 'speech');
  const { python } = await ensureVenv(
    join(repositoryFolder, '.currawong', 'venv-bench-speech'),
    readFileSync(join(folder, 'requirements.txt'), 'utf8'),
  );
  return async (texts) => {
    const normalised = await run<string[]>(python, [join(folder, 'normalise.py')], texts);
    return normalised.map((text) => text.split(' ').filter(Boolean));
  };
}

export interface AlignedText {
  readonly words?: readonly TimedWord[];
  /** Why there are none. */
  readonly error?: string;
}

/**
 * When each word of the transcripts is said, by forced alignment.
 * @param python with the packages of engines/requirements-pocketsphinx.txt
 */
export function alignTranscripts(
  recordings: readonly (Pick<Recording, 'path'> & { readonly words: readonly string[] })[],
  {
    repositoryFolder,
    python,
    ffmpeg,
  }: { readonly repositoryFolder: string; readonly python: string; readonly ffmpeg: string },
): Promise<AlignedText[]> {
  return run(python, [join(repositoryFolder, 'bench', 'speech', 'align_words.py'), ffmpeg], recordings);
}

function run<Answer>(python: string, args: readonly string[], question: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } };
    const child = execFile(python, [...args], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${args[0]} failed: ${stderr.trim().split('\n').at(-1) || error.message}`));
      else resolve(JSON.parse(stdout) as Answer);
    });
    // A program that ends early says why itself.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify(question));
  });
}
