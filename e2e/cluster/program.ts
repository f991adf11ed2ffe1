import { spawn } from 'node:child_process';
import { basename } from 'node:path';

export interface ProgramOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutSeconds?: number;
}

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, whatever that is. */
export function outcomeOf(
  program: string,
  args: readonly string[],
  { input = '', env, timeoutSeconds = 60 }: ProgramOptions = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      timeout: timeoutSeconds * 1000,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === null) stderr += `\n${basename(program)} was ended after ${timeoutSeconds} s.`;
      resolve({ exitCode: code ?? 137, stdout, stderr });
    });
    // A program that ends without reading to the end is no error of ours.
    child.stdin.on('error', () => undefined).end(input);
  });
}

/** Gives the standard output. @throws with what the program complained of, where it fails */
export async function outputOf(
  program: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await outcomeOf(program, args, options);
  if (exitCode === 0) return stdout;
  throw new Error(`${basename(program)} ${args.join(' ')} ended with ${exitCode}:\n${stderr || stdout}`);
}
