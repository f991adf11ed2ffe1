import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../setup-error';
import { findOnPath, isExecutable, runCommand, tail } from './commands';

export interface Venv {
  /** The venv's python. */
  readonly python: string;
  /** Where the programs that came as wheels lie. */
  readonly binFolder: string;
}

/**
 * A private Python environment that holds exactly these requirements (text of a requirements file with
 * hashes). It is left alone when its stamp says that it already does; an environment without a stamp was
 * cut short and is made anew.
 */
export async function ensureVenv(folder: string, requirements: string): Promise<Venv> {
  const venv = { python: join(folder, 'bin', 'python'), binFolder: join(folder, 'bin') };
  const stampPath = join(folder, 'currawong.stamp');
  const stamp = createHash('sha256').update(requirements).digest('hex');
  const found = readStamp(stampPath);
  if (found === stamp && (await runCommand(venv.python, ['-c', ''])).exitCode === 0) return venv;

  const intact =
    found !== undefined && (await runCommand(venv.python, ['-m', 'pip', '--version'])).exitCode === 0;
  if (!intact) await createVenv(folder);
  rmSync(stampPath, { force: true });
  await installRequirements(venv.python, folder, requirements);
  writeFileSync(stampPath, stamp);
  return venv;
}

async function createVenv(folder: string): Promise<void> {
  const python = await findPython();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const made = await runCommand(python, ['-m', 'venv', folder]);
  if (made.exitCode === 0 && isExecutable(join(folder, 'bin', 'pip'))) return;
  rmSync(folder, { recursive: true, force: true });
  throw new SetupError(
    `${python} cannot make a virtual environment (on Debian and Ubuntu: apt-get install python3-venv): ` +
      tail(made.stderr || made.stdout, 1),
  );
}

async function findPython(): Promise<string> {
  const python = findOnPath('python3');
  const probe =
    python && (await runCommand(python, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']));
  const [major, minor] = (probe ? probe.stdout.trim() : '').split('.').map(Number);
  if (!python || major !== 3 || minor === undefined || minor < 9) {
    throw new SetupError(
      `Python 3.9 or newer is needed as python3 on PATH (on Debian and Ubuntu: apt-get install python3 python3-venv); ` +
        (python ? `${python} is version ${major}.${minor}.` : 'none was found.'),
    );
  }
  return python;
}

async function installRequirements(python: string, folder: string, requirements: string): Promise<void> {
  const listPath = join(folder, 'requirements.txt');
  writeFileSync(listPath, requirements);
  const flags = [
    '--require-hashes',
    // The files list everything that is loaded; what packages ask for beyond it would be several hundred megabytes.
    '--no-deps',
    '--no-input',
    '--disable-pip-version-check',
    '--quiet',
    '--prefer-binary',
  ];
  const installed = await runCommand(python, ['-m', 'pip', 'install', ...flags, '-r', listPath]);
  if (installed.exitCode === 0) return;
  throw new SetupError(
    `pip could not install the Python packages that Currawong runs on; check the network connection and try again:\n` +
      tail(installed.stderr || installed.stdout),
  );
}

function readStamp(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
