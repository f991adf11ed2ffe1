import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAllowed, EXCEPTIONS, wheelLicence } from './licences';

// What we ship of others: under which licence, whether it is what we chose, and whether somebody has found a hole in it.

const repository = join(__dirname, '..', '..');

interface Locked {
  version: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
}
const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const foreign = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
);

it('every package is pinned by the hash of its content, and comes from a registry', () => {
  expect(foreign.length).toBeGreaterThan(100);
  const wrong = foreign
    .filter(
      ([, { integrity, resolved = 'https://' }]) =>
        !/^sha(512|384)-/.test(integrity ?? '') || !/^https:\/\//.test(resolved),
    )
    .map(([path, { integrity, resolved }]) => `${path}: ${resolved} ${integrity}`);
  expect(wrong).toEqual([]);
});

it('every package that we ship has a licence that allows it', () => {
  const refused = foreign
    .filter(([, { dev }]) => !dev)
    // What is for other machines is neither here nor shipped from here.
    .filter(([path, { optional }]) => !optional || existsSync(join(repository, path)))
    .map(([path, { license }]) => ({
      name: path.split('node_modules/').at(-1)!,
      licence: license ?? statedIn(path),
    }))
    .filter(({ name, licence }) => !isAllowed(name, licence))
    .map(({ name, licence }) => `${name}: ${licence}`);
  expect(refused).toEqual([]);
});

it('a licence that asks for more, or none, is noticed', () => {
  for (const licence of [
    'GPL-3.0-only',
    'AGPL-3.0',
    'SSPL-1.0',
    'MIT AND GPL-2.0',
    'UNLICENSED',
    'SEE LICENSE IN x',
    '',
    undefined,
  ])
    expect([licence, isAllowed('somebody', licence)]).toEqual([licence, false]);
  for (const licence of ['MIT', '(MIT OR GPL-2.0)', '(MIT AND Zlib)', 'BSD License'])
    expect(isAllowed('x', licence)).toBe(true);
  expect(Object.values(EXCEPTIONS).every(({ reason }) => reason.length > 20)).toBe(true);
});

const requirementFiles = readdirSync(join(repository, 'engines'))
  .filter((name) => /^requirements-.*\.txt$/.test(name))
  .map((name) => join(repository, 'engines', name))
  .concat(join(repository, 'libs', 'local-platform', 'requirements.txt'));

it.each(requirementFiles.map((path) => [path.slice(repository.length + 1), path]))(
  '%s pins every wheel by its hash',
  (_, path) => {
    const entries = readFileSync(path, 'utf8')
      .replace(/\\\n/g, ' ')
      .split('\n')
      .filter((line) => /^[A-Za-z0-9]/.test(line));
    expect(entries.length).toBeGreaterThan(0);
    const loose = entries.filter((line) => !/^[\w.-]+==\S+.*--hash=sha256:[0-9a-f]{64}/.test(line));
    expect(loose).toEqual([]);
  },
);

const wheels = installedWheels();
const withWheels =
  wheels.length > 0
    ? it
    : (console.warn('Skipped: no Python packages are installed yet; npm test installs them.'), it.skip);

withWheels('every Python package of the speech engines has a licence that allows it', () => {
  const refused = wheels
    .map((folder) => {
      const metadata = readFileSync(join(folder, 'METADATA'), 'utf8');
      return { name: /^Name: *(.*)$/m.exec(metadata)![1]!.trim(), licence: wheelLicence(metadata) };
    })
    .filter(({ name, licence }) => !isAllowed(name, licence))
    .map(({ name, licence }) => `${name}: ${licence}`);
  expect(refused).toEqual([]);
});

interface Audit {
  vulnerabilities?: Record<string, { name: string; severity: string; via: unknown[] }>;
}
const audit = askAudit();
const withAudit = audit
  ? it
  : (console.warn('Skipped: the package registry does not answer to npm audit here.'), it.skip);

withAudit('nobody has reported a serious hole in what we ship', () => {
  const serious = Object.values(audit!.vulnerabilities!)
    .filter(({ severity }) => severity === 'high' || severity === 'critical')
    .map(({ name, severity, via }) => `${name} (${severity}): ${JSON.stringify(via)}`);
  expect(serious).toEqual([]);
});

/** What the registry knows of the packages that we ship; undefined where it has no answer. */
function askAudit(): Audit | undefined {
  const options = { cwd: repository, encoding: 'utf8', timeout: 20_000, maxBuffer: 64_000_000 } as const;
  const { stdout } = spawnSync(
    'npm',
    ['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=10000'],
    options,
  );
  try {
    const answer = JSON.parse(stdout) as Audit;
    return answer.vulnerabilities ? answer : undefined;
  } catch {
    return undefined;
  }
}

function installedWheels(): string[] {
  const lib = join(repository, '.currawong', 'venv', 'lib');
  const sites = existsSync(lib) ? readdirSync(lib).map((name) => join(lib, name, 'site-packages')) : [];
  return sites.filter(existsSync).flatMap((site) =>
    readdirSync(site)
      .filter((name) => name.endsWith('.dist-info') && existsSync(join(site, name, 'METADATA')))
      .map((name) => join(site, name)),
  );
}

/** The field of today, or the list that old packages have; busboy and its kind say it so. */
function statedIn(path: string): string | undefined {
  const file = join(repository, path, 'package.json');
  const { license, licenses } = JSON.parse(readFileSync(file, 'utf8')) as {
    license?: string;
    licenses?: { type: string }[];
  };
  return license ?? licenses?.map(({ type }) => type).join(' OR ');
}
