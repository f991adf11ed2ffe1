import { existsSync, readFileSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { parseRttm, type SpokenTurn } from './diarization-error-rate';
import { parseCtm, type TimedWord } from './word-time-error';

/** A recording of which it is known what is said in it, or who says it when. */
export interface CorpusRecording {
  readonly name: string;
  readonly path: string;
  readonly seconds: number;
  readonly speakers: number;
  readonly transcript: string | null;
  readonly turns: readonly SpokenTurn[] | null;
  /** When each word is said, where that is known exactly. */
  readonly words: readonly TimedWord[] | null;
}

const REPOSITORY = resolve(__dirname, '../../../..');

/** Where recordings for tests and measurements lie; they are too large and too mixed in licence to commit. */
export const corpusFolder = process.env['CURRAWONG_SPEECH_DIR'] ?? join(REPOSITORY, '../shared/speech');

/** @returns the recordings of a folder's manifest.json (docs/quality.md says what is in it), or undefined where there is none. */
export function openCorpus(folder = corpusFolder): CorpusRecording[] | undefined {
  const manifest = join(folder, 'manifest.json');
  if (!existsSync(manifest)) return undefined;
  const entries = JSON.parse(readFileSync(manifest, 'utf8')) as ManifestEntry[];
  const text = (file: string) => readFileSync(join(folder, file), 'utf8');
  return entries.map(({ file, seconds, speakers, transcript, rttm, ctm }) => ({
    name: parse(file).name,
    path: join(folder, file),
    seconds,
    speakers,
    transcript: transcript ?? null,
    turns: rttm ? parseRttm(text(rttm)) : null,
    words: ctm ? parseCtm(text(ctm)) : null,
  }));
}

interface ManifestEntry {
  file: string;
  seconds: number;
  speakers: number;
  transcript?: string | null;
  rttm?: string | null;
  ctm?: string | null;
}

/** Programs that tests and measurements need. @throws Error, one sentence, for the first that is not there. */
export function speechPrograms(): { ffmpegPath: string; pythonPath: string; enginesFolder: string } {
  return {
    ffmpegPath: fromEnvironment('CURRAWONG_FFMPEG', 'ffmpeg'),
    pythonPath: fromEnvironment('CURRAWONG_PYTHON', 'a Python with engines/requirements-pocketsphinx.txt'),
    enginesFolder: join(REPOSITORY, 'engines'),
  };
}

function fromEnvironment(variable: string, what: string): string {
  const path = process.env[variable];
  if (!path || !existsSync(path)) {
    throw new Error(`${variable} must be the absolute path of ${what}; \`npm test\` sets it.`);
  }
  return path;
}
