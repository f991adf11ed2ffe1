import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  readonly timeoutSeconds?: number;
}

const running = new Set<ChildProcess>();
// What is still being installed when this process ends early would go on by itself.
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Runs a program to its end; a program that cannot be started counts as exit code 127. */
export function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { timeoutSeconds = 600, ...spawnOptions } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...spawnOptions,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutSeconds * 1000,
      killSignal: 'SIGKILL',
    });
    running.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', (error) => {
      running.delete(child);
      resolve({ exitCode: 127, stdout, stderr: stderr + error.message });
    });
    child.once('close', (code) => {
      running.delete(child);
      resolve({ exitCode: code ?? 1, stdout, stderr });
    });
  });
}

/** The last lines of a program's complaint, for a message to the user. */
export function tail(text: string, lines = 5): string {
  return text.trim().split('\n').slice(-lines).join('\n');
}

/** The first executable of that name on PATH, as an absolute path. */
export function findOnPath(name: string, path = process.env['PATH'] ?? ''): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
