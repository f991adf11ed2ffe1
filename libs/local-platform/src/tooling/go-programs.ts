import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportStep } from '../servers/start-servers';
import { findOnPath, isExecutable, runCommand, tail } from './commands';

/** A program that comes as a Go module, for checks that a service never runs itself. */
export interface GoProgram {
  readonly name: string;
  /** The package that is installed. */
  readonly package: string;
  readonly version: string;
  readonly linkerFlags?: string;
  /** Asks a program that lies on PATH whether it will do; by default any will. */
  readonly accepts?: (program: string) => Promise<boolean>;
}

export const helm: GoProgram = {
  name: 'helm',
  package: 'helm.sh/helm/v4/cmd/helm',
  version: 'v4.3.1',
  // Which Kubernetes a template is rendered for is read from the build; helm's own version has to be told.
  linkerFlags: '-X helm.sh/helm/v4/internal/version.version=v4.3.1',
  async accepts(program) {
    const { stdout } = await runCommand(program, ['version', '--template', '{{.Version}}']);
    return Number(/^v(\d+)\./.exec(stdout)?.[1]) >= 4;
  },
};

export const kubeconform: GoProgram = {
  name: 'kubeconform',
  package: 'github.com/yannh/kubeconform/cmd/kubeconform',
  version: 'v0.8.0',
};

/** The program on PATH where it will do, else the one that was built into the tools folder before. */
export async function findGoProgram(
  program: GoProgram,
  toolsFolder: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const onPath = findOnPath(program.name, env['PATH']);
  if (onPath && (await (program.accepts ?? (async () => true))(onPath))) return onPath;
  const built = builtProgram(program, toolsFolder);
  return isExecutable(built) ? built : undefined;
}

/**
 * Finds the program, or builds it with the machine's Go.
 * @returns its absolute path, or one sentence that says why there is none
 */
export async function ensureGoProgram(
  program: GoProgram,
  toolsFolder: string,
  report?: ReportStep,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly path: string } | { readonly missing: string }> {
  const found = await findGoProgram(program, toolsFolder, env);
  if (found) return { path: found };
  const go = findOnPath('go', env['PATH']);
  if (!go) {
    return { missing: `${program.name} ${program.version} was not found: install it, or Go to build it.` };
  }
  const built = builtProgram(program, toolsFolder);
  const folder = join(built, '..');
  mkdirSync(folder, { recursive: true });
  const began = performance.now();
  report?.(program.name, 'started', 0);
  const result = await runCommand(
    go,
    [
      'install',
      '-trimpath',
      '-ldflags',
      `-s -w ${program.linkerFlags ?? ''}`,
      `${program.package}@${program.version}`,
    ],
    // What the machine sets for its own Go work has no say here.
    { cwd: folder, env: { ...env, GOBIN: folder, GOFLAGS: '', GOWORK: 'off', CGO_ENABLED: '0' } },
  );
  report?.(program.name, 'finished', (performance.now() - began) / 1000);
  if (result.exitCode === 0 && isExecutable(built)) return { path: built };
  return { missing: `${program.name} ${program.version} could not be built: ${tail(result.stderr, 2)}` };
}

/** A folder for each version: a newer one is built beside it, not taken for it. */
function builtProgram(program: GoProgram, toolsFolder: string): string {
  return join(toolsFolder, 'go', `${program.name}-${program.version}`, program.name);
}
