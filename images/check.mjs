// node images/check.mjs LAYOUT ROOT: unpacks the image of an OCI layout into the empty folder ROOT and checks it; a line for
// each thing that is wrong, exit 1 if there is one. Called by images/check.sh.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const [layout, root] = process.argv.slice(2);
const blob = (digest) => join(layout, 'blobs', ...digest.split(':'));
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const entry = json(join(layout, 'index.json')).manifests[0];
const manifest = json(blob(entry.digest));
const { config } = json(blob(manifest.config.digest));
const name = entry.annotations['io.containerd.image.name'];
const kind = /currawong-([a-z]+)/.exec(name)?.[1];
/** Of the unpacked layers. A service has 250 MB by decision; the worker carries ffmpeg, Python and an engine. */
const withWhisper = /currawong-worker-(whisper|gpu)/.exec(name)?.[1];
const largestMegabytes = { whisper: 900, gpu: 2500 }[withWhisper] ?? (kind === 'worker' ? 600 : 250);

const faults = [];
const expect = (isTrue, fault) => isTrue || faults.push(fault);

unpack();
const files = walk(root);
checkImage();
checkContents();
checkPackages();
checkStart();

for (const fault of faults) console.log(`✗ ${name}: ${fault}`);
if (faults.length === 0) console.log(`✓ ${name}`);
process.exitCode = faults.length === 0 ? 0 : 1;

function unpack() {
  for (const { digest, mediaType } of manifest.layers) {
    const options = ['--numeric-owner', '-p', ...(mediaType.endsWith('gzip') ? ['-z'] : [])];
    run('tar', ['-C', root, ...options, '-xf', blob(digest)]);
    for (const path of walk(root).filter((one) => /(^|\/)\.wh\./.test(one))) {
      rmSync(join(root, path.replace(/\.wh\.([^/]*)$/, '$1')), { recursive: true, force: true });
      rmSync(join(root, path));
    }
  }
}

function checkImage() {
  const bytes = manifest.layers.reduce((sum, { digest }) => sum + statSync(blob(digest)).size, 0);
  expect(bytes < largestMegabytes * 1e6, `${(bytes / 1e6).toFixed(1)} MB, more than ${largestMegabytes} MB`);
  expect(config.User === '65532:65532', `runs as ${config.User || 'root'}, not as 65532:65532`);
  expect(config.Entrypoint?.[0] === '/usr/local/bin/node', `the entry point is ${config.Entrypoint}`);
  for (const label of ['title', 'description', 'version', 'revision', 'licenses']) {
    expect(
      config.Labels?.[`org.opencontainers.image.${label}`],
      `has no label org.opencontainers.image.${label}`,
    );
  }
  const secret = config.Env.find((one) => /TOKEN|PASSWORD|SECRET|_KEY=/.test(one));
  expect(!secret, `carries the setting ${secret?.split('=')[0]}`);
}

function checkContents() {
  for (const tool of [
    'typescript',
    'jest',
    'nx',
    'eslint',
    'prettier',
    '@swc/core',
    'vite',
    'playwright-core',
    'npm',
  ]) {
    expect(!files.some((one) => one.includes(`/node_modules/${tool}/`)), `contains ${tool}`);
  }
  const unwanted = files.filter(
    (one) => one.startsWith('app/') && /\.(ts|tsx|mts|cts)$|\.(spec|test)\.[cm]?js$/.test(one),
  );
  expect(unwanted.length === 0, `contains ${unwanted.length} sources or tests, such as ${unwanted[0]}`);
  const maps = files.filter((one) => one.includes('node_modules/') && one.endsWith('.map'));
  expect(maps.length === 0, `contains ${maps.length} source maps of packages, such as ${maps[0]}`);
  const credentials = files.filter((one) =>
    /(^|\/)(\.npmrc|pip\.conf|\.netrc|\.git-credentials)$|^run\/secrets\/./.test(one),
  );
  expect(credentials.length === 0, `contains settings of the machine that built it: ${credentials}`);
  const privileged = files.filter(
    (one) =>
      one.startsWith('app/') &&
      lstatSync(join(root, one)).mode & 0o6022 &&
      !lstatSync(join(root, one)).isSymbolicLink(),
  );
  expect(privileged.length === 0, `others may write ${privileged[0]}, or it has special rights`);
}

/** The list in the image against the manifests, metadata and Debian lists found by looking for files, not by its rules. */
function checkPackages() {
  const path = join(root, 'app/sbom.cdx.json');
  if (!existsSync(path)) return faults.push('has no bill of materials in /app/sbom.cdx.json');
  const components = json(path).components.filter(({ properties }) => !properties);
  const listed = new Set(components.map(({ purl }) => decodeURIComponent(purl.split('?')[0])));
  const found = new Set([`pkg:generic/node@${nodeVersion()}`]);
  for (const one of files) {
    if (/(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(one)) {
      const { name: packageName, version } = json(join(root, one));
      found.add(`pkg:npm/${packageName}@${version}`);
    } else if (/^app\/python\/.*\.dist-info\/METADATA$/.test(one)) {
      const text = readFileSync(join(root, one), 'utf8');
      const field = (key) => new RegExp(`^${key}: (.*)$`, 'm').exec(text)[1];
      found.add(`pkg:pypi/${field('Name').toLowerCase().replace(/_/g, '-')}@${field('Version')}`);
    } else if (/^var\/lib\/dpkg\/(status|status\.d\/(?!.*\.md5sums)[^/]+)$/.test(one)) {
      for (const [, packageName, , version] of readFileSync(join(root, one), 'utf8').matchAll(
        /^Package: (.*)\n((?:(?!Version:).+\n)*?)Version: (.*)$/gm,
      )) {
        found.add(`pkg:deb/debian/${packageName}@${version}`);
      }
    }
  }
  const missing = [...found].filter((one) => !listed.has(one));
  const invented = [...listed].filter((one) => !found.has(one));
  expect(
    missing.length === 0,
    `the bill of materials lacks ${missing.length} packages, such as ${missing[0]}`,
  );
  expect(
    invented.length === 0,
    `the bill of materials names ${invented.length} absent packages, such as ${invented[0]}`,
  );
}

function nodeVersion() {
  return inside(['/usr/local/bin/node', '--version']).stdout.trim().replace('v', '');
}

function checkStart() {
  // Without settings a service says which it needs and ends: everything was loaded by then.
  if (kind === 'admin') {
    const answer = inside(['/usr/local/bin/currawong-admin', '--help']);
    expect(
      /account create/.test(answer.stdout + answer.stderr),
      `currawong-admin does not answer: ${answer.stderr}`,
    );
  } else {
    const answer = inside([...config.Entrypoint, ...(config.Cmd ?? [])]);
    const isAsking = answer.status > 0 && answer.status !== 125 && /_URL is not set/.test(answer.stderr);
    expect(
      isAsking,
      `does not start (exit ${answer.status}): ${answer.stderr.trim().split('\n').slice(-3).join(' ')}`,
    );
  }
  if (kind !== 'worker') return;
  expect(inside(['/usr/bin/ffmpeg', '-version']).status === 0, 'ffmpeg does not run');
  const packages = join(root, 'app/python/lib');
  if (withWhisper) {
    // Without a model it gets as far as asking for one, with all of its packages loaded.
    const { stderr } = inside(['/usr/bin/python3', '/app/engines/faster_whisper_engine.py']);
    expect(/There is no model\.bin/.test(stderr), `the engine does not start: ${stderr.trim().slice(-300)}`);
  }
  for (const [folder, program] of Object.entries({
    moonshine_voice: 'moonshine',
    pocketsphinx: 'pocketsphinx',
  })) {
    if (!existsSync(join(packages, folder))) continue;
    const engine = inside(['/usr/bin/python3', `/app/engines/${program}_engine.py`]);
    expect(
      /"ready": ?true/.test(engine.stdout),
      `the engine ${program} does not start: ${engine.stderr.trim().slice(-300)}`,
    );
  }
}

/** Runs a program in the image as its user, on a read-only root with a writable /tmp, as Kubernetes will. */
function inside(command) {
  const script = `mkdir -p "$0/dev" "$0/proc" "$0/tmp" && mount --bind "$0" "$0" && mount -t tmpfs tmpfs "$0/tmp" && mount -t proc proc "$0/proc" \
    && mount --rbind /dev "$0/dev" && mount -o remount,bind,ro "$0" \
    && exec unshare --root="$0" --wd=/app --setgid=65532 --setuid=65532 "$@"`;
  const settings = config.Env.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]);
  return spawnSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, root, ...command], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...Object.fromEntries(settings) },
    encoding: 'utf8',
    input: '',
    timeout: 60_000,
  });
}

function walk(folder, below = '') {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((one) => {
    const path = join(below, one.name);
    return one.isDirectory() ? walk(folder, path) : [path];
  });
}

function run(program, words) {
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed on ${relative('.', layout)}: ${stderr}`);
}
