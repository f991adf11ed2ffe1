import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const file = join(__dirname, '..', '..', '.currawong', 'cluster-test', 'state.json');

/** What one file of tests leaves for the next. */
export interface State {
  accountId: string;
  apiKey: string;
  /** The first recording that was transcribed, and its text. */
  firstJob: { id: string; diarization: string };
}

export function remember(state: Partial<State>): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...read(), ...state }), { mode: 0o600 });
}

export function remembered<Key extends keyof State>(key: Key): State[Key] {
  const value = read()[key];
  if (value === undefined) throw new Error(`There is no ${key}: the test that makes it has not passed.`);
  return value;
}

function read(): Partial<State> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<State>;
  } catch {
    return {};
  }
}
