import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium, findChromium } from './chromium';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'currawong-chromium-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

// The programs that a script needs lie behind the folder of the test; a browser among them would be found first.
const shell = () => ({ PATH: folder, HOME: folder });
const mayInstall =
  process.getuid?.() === 0 &&
  existsSync('/etc/os-release') &&
  /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
const whereItMayInstall = mayInstall ? it : it.skip;

it('the browser that the environment names goes before those on PATH', () => {
  const onPath = program('chromium', 'exit 0');
  const other = program('other', 'exit 0');
  expect(findChromium(shell())).toBe(onPath);
  expect(findChromium({ ...shell(), CURRAWONG_CHROMIUM: other })).toBe(other);
});

it('a named browser that is not there is said, and none is installed in its place', async () => {
  program('apt-get', `echo installed > ${folder}/called`);
  expect(await ensureChromium(undefined, { ...shell(), CURRAWONG_CHROMIUM: '/no/such/chrome' })).toBe(
    'CURRAWONG_CHROMIUM names /no/such/chrome, which is not a program',
  );
  expect(existsSync(join(folder, 'called'))).toBe(false);
});

it('without apt it is missing, and nothing is reported as a step', async () => {
  const report = jest.fn();
  expect(await ensureChromium(report, shell())).toBe('no Chromium was found');
  expect(report).not.toHaveBeenCalled();
});

whereItMayInstall('an apt that is at work elsewhere is waited for', async () => {
  program(
    'apt-get',
    `echo "$*" >> ${folder}/calls
     if [ ! -e ${folder}/held ]; then
       : > ${folder}/held
       echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)' >&2
       exit 100
     fi
     printf '#!/bin/sh\\n' > ${folder}/chromium
     /bin/chmod 755 ${folder}/chromium`,
  );
  const steps: string[] = [];
  expect(await ensureChromium((name, state) => steps.push(`${name} ${state}`), shell())).toBeUndefined();
  expect(steps).toEqual(['Chromium started', 'Chromium finished']);
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  expect(calls).toHaveLength(2);
  for (const call of calls) {
    expect(call).toMatch(/-o DPkg::Lock::Timeout=\d+ install --no-install-recommends chromium$/);
  }
});

whereItMayInstall('stale lists are fetched anew; what apt says in the end is handed on', async () => {
  program(
    'apt-get',
    `echo "$*" >> ${folder}/calls; echo 'E: Unable to locate package chromium' >&2; exit 100`,
  );
  expect(await ensureChromium(undefined, shell())).toBe(
    'Chromium could not be installed: E: Unable to locate package chromium',
  );
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  expect(calls.map((call) => /(install|update)\b/.exec(call)?.[1])).toEqual(['install', 'update', 'install']);
});
