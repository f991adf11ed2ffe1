import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A module of the built worker. No library holds these, and nothing but the measurements runs them beside the worker: so
 * they are loaded as a program is started, by path.
 * @param name its path in apps/worker/src, without extension
 */
export function builtWorker<Module>(repositoryFolder: string, name: string): Module {
  const path = join(repositoryFolder, 'apps', 'worker', 'dist', `${name}.js`);
  if (!existsSync(path)) throw new Error(`apps/worker has no ${name} in its build`);
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require(path) as Module;
}
