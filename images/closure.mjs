// Which packages an app needs when it runs: its dependencies and theirs, found the way Node finds them.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/**
 * @param {string} root the repository, with its packages installed
 * @param {string} app a folder of apps/
 * @returns {{ folder: string, workspace: boolean, manifest: object }[]} sorted by folder, which is relative to root
 */
export function closure(root, app) {
  const found = new Map();
  const visit = (folder) => {
    if (found.has(folder)) return;
    const manifest = readManifest(join(root, folder));
    found.set(folder, { folder, manifest, workspace: !folder.split(sep).includes('node_modules') });
    for (const { name, required } of wanted(manifest)) {
      const dependency = resolve(root, join(root, folder), name);
      if (dependency) visit(relative(root, dependency));
      else if (required)
        throw new Error(`${name}, which ${folder} needs, is not installed: run npm install.`);
    }
  };
  visit(join('apps', app));
  return [...found.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** Each package's own copy in its own node_modules comes first, then those of the folders above. */
function resolve(root, from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === root || folder === dirname(folder)) return undefined;
  }
}

function wanted(manifest) {
  const optionalPeers = manifest.peerDependenciesMeta ?? {};
  const required = [
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}).filter((name) => !optionalPeers[name]?.optional),
  ];
  const optional = Object.keys(manifest.optionalDependencies ?? {});
  return [
    ...required.filter((name) => !optional.includes(name)).map((name) => ({ name, required: true })),
    ...optional.map((name) => ({ name, required: false })),
  ];
}

export function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** The folders of all packages below a node_modules, nested ones too, as node_modules/… relative to `root`. */
export function installedPackages(root, below = 'node_modules') {
  const folder = join(root, below);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const path = join(below, entry.name);
      if (entry.name.startsWith('@')) return installedPackages(root, path);
      return [path, ...installedPackages(root, join(path, 'node_modules'))];
    })
    .sort();
}
