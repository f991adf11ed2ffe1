import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReportStep } from '../servers/start-servers';
import { findOnPath, isExecutable, runCommand, tail } from './commands';

/** What to do where there is no browser; ends the line that says that something is skipped. */
export const chromiumRemedy =
  'install one (on Debian: apt-get install chromium) or set CURRAWONG_CHROMIUM to the path of a Chromium or Chrome';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The Chromium that the environment names, else the first one on PATH. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = env['CURRAWONG_CHROMIUM'];
  if (given) return isExecutable(given) ? given : undefined;
  return names.map((name) => findOnPath(name, env['PATH'])).find((path) => path !== undefined);
}

/**
 * Finds Chromium, or installs Debian's where this process is root on Debian.
 * @returns why there is none; undefined once there is one
 */
export async function ensureChromium(
  report?: ReportStep,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const given = env['CURRAWONG_CHROMIUM'];
  if (findChromium(env)) return undefined;
  if (given) return `CURRAWONG_CHROMIUM names ${given}, which is not a program`;
  const apt = findOnPath('apt-get', env['PATH']);
  if (!apt || !isDebian() || process.getuid?.() !== 0) return 'no Chromium was found';
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  report?.('Chromium', 'started', 0);
  const complaint = await installPackage(apt, 'chromium', 300, env);
  report?.('Chromium', 'finished', seconds());
  if (findChromium(env)) return undefined;
  return `Chromium could not be installed${complaint ? `: ${complaint}` : ''}`;
}

/**
 * Another apt at work is waited for: DPkg::Lock::Timeout does so for the package database, the locks on the lists and
 * on the downloads are refused at once and asked for again here.
 */
async function installPackage(
  apt: string,
  name: string,
  limitSeconds: number,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const deadline = Date.now() + limitSeconds * 1000;
  const run = async (...args: string[]) => {
    for (;;) {
      const left = Math.max(1, (deadline - Date.now()) / 1000);
      const result = await runCommand(
        apt,
        ['--quiet=2', '--yes', '-o', `DPkg::Lock::Timeout=${Math.floor(left)}`, ...args],
        { env: { ...env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }, timeoutSeconds: left },
      );
      const text = result.stderr || result.stdout;
      const isHeld = result.exitCode !== 0 && /Could not get lock|Unable to lock/.test(text);
      if (!isHeld || Date.now() + 2_000 > deadline) return { ok: result.exitCode === 0, text: tail(text, 2) };
      await sleep(2_000);
    }
  };
  const install = () => run('install', '--no-install-recommends', name);
  // The lists of a fresh machine are absent, those of an old one name packages that are gone.
  if ((await install()).ok) return '';
  const updated = await run('update');
  const installed = await install();
  return installed.ok ? '' : installed.text || updated.text || `it took more than ${limitSeconds} s`;
}

/** Elsewhere the package of that name is something else: on Ubuntu it fetches a snap. */
function isDebian(): boolean {
  try {
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}
