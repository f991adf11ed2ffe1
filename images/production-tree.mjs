// node images/production-tree.mjs APP OUT: writes below OUT what an image of the app holds beside its base: Node, the
// built app, and of the installed packages those that it needs when it runs.
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closure } from './closure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [app, out] = process.argv.slice(2);
const apps = ['gateway', 'jobs', 'billing', 'worker', 'admin'];
if (!apps.includes(app) || !out) {
  console.error(`Usage: node images/production-tree.mjs APP OUT, with an APP of ${apps.join(', ')}.`);
  process.exit(2);
}

/** What an app reads beside its own folder. */
const extras = {
  gateway: ['apps/dashboard/dist'],
  worker: ['engines'],
  admin: ['samples/two-voices.ogg', 'helm/currawong/files/nats-permissions.json'],
};

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
checkNode();
const packages = closure(root, app);
for (const one of packages) (one.workspace ? copyWorkspace : copyPackage)(one);
for (const path of extras[app] ?? []) copy(path);
copy('LICENSE');
copy('node_modules/node/bin/node', join(out, 'usr/local/bin/node'));
// Node follows the link, so the app sees itself where it was built; the entry point of every image can be the same.
symlinkSync(`apps/${app}/dist/${app === 'admin' ? 'idle.js' : 'main.js'}`, join(out, 'app/main.js'));
if (app === 'admin') {
  copy('apps/admin/bin/currawong-admin', join(out, 'usr/local/bin/currawong-admin'));
  chmodSync(join(out, 'usr/local/bin/currawong-admin'), 0o755);
}

function copyWorkspace({ folder, manifest }) {
  // Scripts, types and development dependencies say nothing about what is in the image.
  const { name, version, license, type, main, exports, dependencies } = manifest;
  const target = join(out, 'app', folder);
  mkdirSync(target, { recursive: true });
  const kept = {
    name,
    version,
    private: true,
    license,
    type,
    main,
    exports: withoutTypes(exports),
    dependencies,
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(kept, undefined, 2)}\n`);
  copy(join(folder, 'dist'));
  if (folder === join('apps', app)) return;
  const link = join(out, 'app/node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(relative(dirname(link), target), link);
}

function withoutTypes(exports) {
  if (typeof exports !== 'object') return exports;
  return Object.fromEntries(
    Object.entries(exports).map(([name, conditions]) => [name, { default: conditions.default }]),
  );
}

function copyPackage({ folder, manifest }) {
  const locked = lock[folder];
  if (locked?.version !== manifest.version || !locked.integrity) {
    throw new Error(
      `${folder} is installed as ${manifest.version}, which package-lock.json does not name: run npm install and commit it.`,
    );
  }
  copy(folder, undefined, (path) => isNeededAtRunTime(relative(folder, path)));
}

/** Without source maps, types, tests and pages about the package; licences stay, as they ask. */
function isNeededAtRunTime(path) {
  if (path === '') return true;
  const name = basename(path).toLowerCase();
  const top = path.split('/')[0];
  if (['node_modules', 'test', 'tests', '__tests__', 'docs', 'example', 'examples', '.github'].includes(top))
    return false;
  if (/^(licen[cs]e|copying|notice)/.test(name)) return true;
  return (
    !/\.(map|md|markdown|tsx?|mts|cts|flow|tsbuildinfo)$|\.(spec|test)\.[cm]?js$/.test(name) &&
    name !== '__tests__'
  );
}

function copy(path, target = join(out, 'app', path), filter = () => true) {
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(root, path), target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => filter(relative(root, source)),
  });
}

/** The npm package `node` fetches its program while it is installed, beyond the reach of the lock file. */
function checkNode() {
  const platform = `${process.platform}-${process.arch}`;
  const known = readFileSync(join(root, 'images/node.sha256'), 'utf8');
  const wanted = known
    .split('\n')
    .find((line) => line.endsWith(`  ${platform}`))
    ?.split(' ')[0];
  const found = createHash('sha256')
    .update(readFileSync(join(root, 'node_modules/node/bin/node')))
    .digest('hex');
  if (found !== wanted) {
    throw new Error(
      `Node for ${platform} has the SHA-256 ${found}, images/node.sha256 says ${wanted ?? 'nothing'}: ` +
        'see images/README.md, "A new version of Node".',
    );
  }
}
