// node images/sbom.mjs APP NAME VERSION ROOT…: prints the bill of materials (CycloneDX 1.6) of the image that is made of
// the folders ROOT, of what is really in them: npm packages, Python packages, Debian packages and Node.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closure, installedPackages, readManifest } from './closure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [app, name, version, ...roots] = process.argv.slice(2);
if (roots.length === 0) {
  console.error('Usage: node images/sbom.mjs APP NAME VERSION ROOT…');
  process.exit(2);
}
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;

const components = unique([
  ...roots.flatMap((folder) => [...npm(folder), ...python(folder), ...debian(folder)]),
  ...(roots.some((folder) => existsSync(join(folder, 'usr/local/bin/node'))) ? [node()] : []),
  ...(app === 'gateway' ? bundled('dashboard') : []),
]);
const subject = { type: 'container', name, version, 'bom-ref': name };
// The same contents have the same serial number; the time of the build is the image's, not the list's.
const digest = createHash('sha256')
  .update(JSON.stringify([subject, components]))
  .digest('hex');
const serial = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
console.log(
  JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: `urn:uuid:${serial}`,
      version: 1,
      metadata: { component: subject },
      components,
    },
    undefined,
    1,
  ),
);

function npm(folder) {
  const inImage = join(folder, 'app');
  return installedPackages(inImage)
    .concat(['apps', 'libs'].flatMap((group) => nested(inImage, group)))
    .filter((path) => existsSync(join(inImage, path, 'package.json')))
    .map((path) => npmComponent(readManifest(join(inImage, path)), lock[path]));
}

/** Packages that an app or a library keeps for itself, because it needs another version than the rest. */
function nested(inImage, group) {
  if (!existsSync(join(inImage, group))) return [];
  return readdirSync(join(inImage, group)).flatMap((one) =>
    installedPackages(inImage, join(group, one, 'node_modules')),
  );
}

/** What the build of a page has put into its files: there is no folder of theirs in the image, their code is. */
function bundled(page) {
  return closure(root, page)
    .filter(({ workspace }) => !workspace)
    .map(({ folder, manifest }) => ({
      ...npmComponent(manifest, lock[folder]),
      properties: [{ name: 'currawong:bundled-into', value: `apps/${page}/dist` }],
    }));
}

function npmComponent({ name: packageName, version: packageVersion, license }, locked) {
  const purl = `pkg:npm/${packageName.replace('@', '%40')}@${packageVersion}`;
  const [algorithm, base64] = locked?.integrity?.split('-') ?? [];
  return {
    type: 'library',
    'bom-ref': purl,
    name: packageName,
    version: packageVersion,
    ...(typeof license === 'string' ? { licenses: [licenceOf(license)] } : {}),
    ...(algorithm === 'sha512'
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }] }
      : {}),
    purl,
  };
}

function licenceOf(text) {
  if (/ (OR|AND|WITH) /.test(text)) return { expression: text };
  return /^[A-Za-z0-9.+-]+$/.test(text) ? { license: { id: text } } : { license: { name: text } };
}

function node() {
  const { version: nodeVersion } = readManifest(join(root, 'node_modules/node'));
  const purl = `pkg:generic/node@${nodeVersion}`;
  return {
    type: 'application',
    'bom-ref': purl,
    name: 'node',
    version: nodeVersion,
    cpe: `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:*:*:*:*`,
    purl,
  };
}

function python(folder) {
  return files(join(folder, 'app/python/lib'), (path) => path.endsWith('.dist-info/METADATA')).map((path) => {
    const metadata = readFileSync(path, 'utf8');
    const field = (key) => new RegExp(`^${key}: (.*)$`, 'm').exec(metadata)?.[1];
    const purl = `pkg:pypi/${field('Name')
      .toLowerCase()
      .replace(/[._-]+/g, '-')}@${field('Version')}`;
    return { type: 'library', 'bom-ref': purl, name: field('Name'), version: field('Version'), purl };
  });
}

/** Debian's list, or one file a package where the image has no dpkg. */
function debian(folder) {
  const dpkg = join(folder, 'var/lib/dpkg');
  const lists = [join(dpkg, 'status')]
    .filter(existsSync)
    .concat(files(join(dpkg, 'status.d'), (path) => !path.endsWith('.md5sums')));
  return lists
    .flatMap((path) => readFileSync(path, 'utf8').split(/\n\n+/))
    .map((paragraph) => (key) => new RegExp(`^${key}: (.*)$`, 'm').exec(paragraph)?.[1])
    .filter((field) => field('Package') && (field('Status')?.endsWith(' installed') ?? true))
    .map((field) => {
      const release = distribution();
      const purl = `pkg:deb/${release.id}/${field('Package')}@${encodeURIComponent(field('Version'))}?arch=${field('Architecture')}&distro=${release.id}-${release.version}`;
      return { type: 'library', 'bom-ref': purl, name: field('Package'), version: field('Version'), purl };
    });
}

function distribution() {
  for (const folder of roots) {
    for (const path of ['etc/os-release', 'usr/lib/os-release']) {
      if (!existsSync(join(folder, path))) continue;
      const text = readFileSync(join(folder, path), 'utf8');
      const field = (key) => new RegExp(`^${key}="?([^"\n]*)"?$`, 'm').exec(text)?.[1];
      return { id: field('ID'), version: field('VERSION_ID') };
    }
  }
  return { id: 'debian', version: '13' };
}

function files(folder, isWanted) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isWanted)
    .sort();
}

function unique(all) {
  const known = new Map();
  for (const one of all) if (!known.has(one.purl)) known.set(one.purl, one);
  return [...known.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
}
