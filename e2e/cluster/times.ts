import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const file = join(__dirname, '..', '..', '.currawong', 'cluster-test', 'times.jsonl');

export function recordTime(name: string, seconds: number): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify([name, seconds])}\n`);
  process.stderr.write(`  ${seconds.toFixed(1).padStart(6)} s  ${name}\n`);
}

export function forgetTimes(): void {
  rmSync(file, { force: true });
}

export function recordedTimes(): (readonly [name: string, seconds: number])[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, number]);
}
