import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, tail } from './commands';

const SCRIPTS = join(__dirname, '..', '..', '..', '..', 'tools', 'models', 'speakers');
const FILES = ['segmentation.onnx', 'embedding.onnx'];

/**
 * Makes the models that tell speakers apart, once: 81 MB are fetched and 34 MB kept. Whoever cannot fetch them gets one
 * line that says so; the worker then tells speakers apart without trained models.
 * @param python with NumPy
 */
export async function ensureSpeakerModels(folder: string, python: string): Promise<void> {
  if (!existsSync(SCRIPTS)) return;
  const stampPath = join(folder, 'currawong.stamp');
  const stamp = digestOf(SCRIPTS);
  if (FILES.every((name) => existsSync(join(folder, name))) && readStamp(stampPath) === stamp) return;
  rmSync(stampPath, { force: true });
  const environment = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const made = await runCommand(python, [join(SCRIPTS, 'make.py'), folder], { env: environment });
  if (made.exitCode === 0) return writeFileSync(stampPath, stamp);
  process.stderr.write(
    `The models that tell speakers apart could not be made, so it is done without: ${tail(made.stderr, 1)}\n`,
  );
}

function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) {
    if (/\.(py|txt)$/.test(name)) hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex');
}

function readStamp(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}
