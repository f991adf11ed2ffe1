import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureGoProgram, helm, kubeconform } from './go-programs';

let folder: string;
let bin: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'currawong-go-'));
  mkdirSync((bin = join(folder, 'bin')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, script: string): string {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

/** Only what a test has put there, with the shell's own words. */
const onlyHere = () => ({ PATH: bin });
const built = () => join(folder, 'tools', 'go', `kubeconform-${kubeconform.version}`, 'kubeconform');
const goThatBuilds = `echo "$* GOFLAGS=$GOFLAGS" >> ${'$'}{0%/*}/../calls
  printf '#!/bin/sh\\n' > "$GOBIN/kubeconform"; /bin/chmod 755 "$GOBIN/kubeconform"`;
const ensure = (wanted = kubeconform) =>
  ensureGoProgram(wanted, join(folder, 'tools'), undefined, onlyHere());

it('a program on PATH is taken, and nothing is built', async () => {
  const path = program('kubeconform', 'exit 0');
  program('go', goThatBuilds);
  expect(await ensure()).toEqual({ path });
  expect(existsSync(join(folder, 'calls'))).toBe(false);
});

it('without one it is built at the version that is asked for, once', async () => {
  program('go', goThatBuilds);
  expect(await ensure()).toEqual({ path: built() });
  expect(await ensure()).toEqual({ path: built() });
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatch(/^install .*github.com\/yannh\/kubeconform\/cmd\/kubeconform@v[\d.]+ GOFLAGS=$/);
});

it('a helm before the fourth is not taken', async () => {
  program('helm', 'echo v3.19.0');
  expect(await ensure(helm)).toEqual({
    missing: `helm ${helm.version} was not found: install it, or Go to build it.`,
  });
  const path = program('helm', 'echo v4.0.1');
  expect(await ensure(helm)).toEqual({ path });
});

it('a build that fails is told with the last words of Go', async () => {
  program('go', 'echo downloading >&2; echo "module lookup disabled" >&2; exit 1');
  expect(await ensure()).toEqual({
    missing: `kubeconform ${kubeconform.version} could not be built: downloading\nmodule lookup disabled`,
  });
});
