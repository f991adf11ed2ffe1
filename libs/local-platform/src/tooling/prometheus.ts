import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportStep } from '../servers/start-servers';
import { findOnPath, isExecutable, runCommand, tail } from './commands';

/** The server, and the tool that checks and tests its rules. */
export interface Prometheus {
  readonly prometheus: string;
  readonly promtool: string;
}

/** What to do where there is none; ends the line that says that something is skipped. */
export const prometheusRemedy =
  'put prometheus and promtool on PATH, or set CURRAWONG_PROMETHEUS to the folder that holds them';

/**
 * Those of the folder that the environment names, else those on PATH, else what was unpacked here before.
 * @param toolsFolder where `ensurePrometheus` unpacks
 */
export function findPrometheus(
  toolsFolder: string,
  env: NodeJS.ProcessEnv = process.env,
): Prometheus | undefined {
  const given = env['CURRAWONG_PROMETHEUS'];
  const inFolder = (folder: string) => (name: string) => {
    const path = join(folder, name);
    return isExecutable(path) ? path : undefined;
  };
  const onPath = (name: string) => findOnPath(name, env['PATH']);
  for (const find of given ? [inFolder(given)] : [onPath, inFolder(unpackedPrograms(toolsFolder))]) {
    const [prometheus, promtool] = [find('prometheus'), find('promtool')];
    if (prometheus && promtool) return { prometheus, promtool };
  }
  return undefined;
}

/**
 * Finds Prometheus, or unpacks the package of Debian or Ubuntu. It is not installed: that would start a server.
 * @returns why there is none; undefined once there is one
 */
export async function ensurePrometheus(
  toolsFolder: string,
  report?: ReportStep,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  if (findPrometheus(toolsFolder, env)) return undefined;
  const given = env['CURRAWONG_PROMETHEUS'];
  if (given) return `CURRAWONG_PROMETHEUS names ${given}, which does not hold prometheus and promtool`;
  if (!findOnPath('apt-get', env['PATH']) || !findOnPath('dpkg-deb', env['PATH'])) {
    return 'no Prometheus was found';
  }
  const began = performance.now();
  report?.('Prometheus', 'started', 0);
  const complaint = await unpackPackage('prometheus', toolsFolder, env);
  report?.('Prometheus', 'finished', (performance.now() - began) / 1000);
  if (findPrometheus(toolsFolder, env)) return undefined;
  return `Prometheus could not be fetched${complaint ? `: ${complaint}` : ''}`;
}

function unpackedPrograms(toolsFolder: string): string {
  return join(toolsFolder, 'prometheus', 'usr', 'bin');
}

/** @returns what apt or dpkg complained about; empty once the package lies in the folder of its name */
async function unpackPackage(name: string, toolsFolder: string, env: NodeJS.ProcessEnv): Promise<string> {
  mkdirSync(toolsFolder, { recursive: true });
  const folder = mkdtempSync(join(toolsFolder, `${name}-`));
  const run = (program: string, ...args: string[]) =>
    runCommand(program, args, { cwd: folder, env: { ...env, LC_ALL: 'C' }, timeoutSeconds: 300 });
  try {
    let fetched = await run('apt-get', '--quiet=2', 'download', name);
    if (fetched.exitCode !== 0 && process.getuid?.() === 0) {
      // The lists of a fresh machine are absent, those of an old one name packages that are gone.
      await run('apt-get', '--quiet=2', 'update');
      fetched = await run('apt-get', '--quiet=2', 'download', name);
    }
    const archive = readdirSync(folder).find((file) => file.endsWith('.deb'));
    if (!archive) return tail(fetched.stderr || fetched.stdout, 2);
    const unpacked = await run('dpkg-deb', '--extract', archive, join(folder, 'unpacked'));
    if (unpacked.exitCode !== 0) return tail(unpacked.stderr, 2);
    rmSync(join(toolsFolder, name), { recursive: true, force: true });
    renameSync(join(folder, 'unpacked'), join(toolsFolder, name));
    return '';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
