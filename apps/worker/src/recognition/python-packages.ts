import { execFile } from 'node:child_process';
import { pythonEnvironment } from './process-recognizer';

/** @returns what a line of Python prints, in the environment of the engines. @throws Error when it fails. */
export function runPython(pythonPath: string, code: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      pythonPath,
      ['-c', code, ...args],
      { env: pythonEnvironment(), timeout: 20_000 },
      (error, stdout) => {
        if (error)
          reject(
            new Error(`${pythonPath} (CURRAWONG_PYTHON) cannot be used: ${error.message}`, { cause: error }),
          );
        else resolve(stdout);
      },
    );
  });
}
