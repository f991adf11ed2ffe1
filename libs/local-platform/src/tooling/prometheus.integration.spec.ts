import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ensurePrometheus, findPrometheus } from './prometheus';

let folder: string;
let tools: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'currawong-prometheus-'));
  tools = join(folder, 'tools');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(path: string, script = 'exit 0'): string {
  const whole = join(folder, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return whole;
}
const environment = (more: NodeJS.ProcessEnv = {}) => ({ PATH: join(folder, 'bin'), HOME: folder, ...more });

it('the folder that the environment names goes before PATH, and PATH before what was unpacked', () => {
  const both = (place: string) => ({
    prometheus: program(`${place}/prometheus`),
    promtool: program(`${place}/promtool`),
  });
  const unpacked = both('tools/prometheus/usr/bin');
  expect(findPrometheus(tools, environment())).toEqual(unpacked);
  const onPath = both('bin');
  expect(findPrometheus(tools, environment())).toEqual(onPath);
  const named = both('named');
  const env = environment({ CURRAWONG_PROMETHEUS: join(folder, 'named') });
  expect(findPrometheus(tools, env)).toEqual(named);
});

it('one of the two programs alone is not enough', () => {
  program('bin/prometheus');
  expect(findPrometheus(tools, environment())).toBeUndefined();
});

it('a named folder without them is said, and nothing is fetched in its place', async () => {
  program('bin/apt-get', `: > ${folder}/called`);
  program('bin/dpkg-deb');
  const env = environment({ CURRAWONG_PROMETHEUS: '/no/such' });
  expect(await ensurePrometheus(tools, undefined, env)).toBe(
    'CURRAWONG_PROMETHEUS names /no/such, which does not hold prometheus and promtool',
  );
  expect(existsSync(join(folder, 'called'))).toBe(false);
});

it('without apt it is missing, and nothing is reported as a step', async () => {
  const report = jest.fn();
  expect(await ensurePrometheus(tools, report, environment())).toBe('no Prometheus was found');
  expect(report).not.toHaveBeenCalled();
});

it('the package is unpacked and not installed', async () => {
  program('bin/apt-get', `echo "$*" >> ${folder}/calls; : > prometheus_1_amd64.deb`);
  program(
    'bin/dpkg-deb',
    `/bin/mkdir -p "$3/usr/bin"
     for name in prometheus promtool; do : > "$3/usr/bin/$name"; /bin/chmod 755 "$3/usr/bin/$name"; done`,
  );
  const steps: string[] = [];
  const missing = await ensurePrometheus(
    tools,
    (name, state) => steps.push(`${name} ${state}`),
    environment({ PATH: [join(folder, 'bin'), '/no/such'].join(delimiter) }),
  );
  expect(missing).toBeUndefined();
  expect(steps).toEqual(['Prometheus started', 'Prometheus finished']);
  expect(findPrometheus(tools, environment())?.promtool).toBe(join(tools, 'prometheus/usr/bin/promtool'));
});

it('what apt says in the end is handed on', async () => {
  program('bin/apt-get', `echo 'E: Unable to locate package prometheus' >&2; exit 100`);
  program('bin/dpkg-deb');
  expect(await ensurePrometheus(tools, undefined, environment())).toBe(
    'Prometheus could not be fetched: E: Unable to locate package prometheus',
  );
});
