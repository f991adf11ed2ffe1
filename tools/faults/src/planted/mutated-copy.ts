import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Edit } from './bugs';

/** A copy of the built services and libraries with some texts replaced; packages are shared with the repository. */
export function mutatedCopy(
  repositoryFolder: string,
  edits: readonly Edit[],
): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'currawong-planted-'));
  const own = join(folder, 'node_modules', '@currawong');
  mkdirSync(own, { recursive: true });
  const packages = join(repositoryFolder, 'node_modules');
  for (const name of readdirSync(packages)) {
    if (name !== '@currawong' && !name.startsWith('.'))
      symlinkSync(join(packages, name), join(folder, 'node_modules', name));
  }
  for (const group of ['apps', 'libs']) {
    for (const name of readdirSync(join(repositoryFolder, group))) {
      const from = join(repositoryFolder, group, name);
      const to = join(folder, group, name);
      if (!existsSync(join(from, 'dist')) || !existsSync(join(from, 'package.json'))) continue;
      mkdirSync(to, { recursive: true });
      cpSync(join(from, 'package.json'), join(to, 'package.json'));
      cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true });
      if (existsSync(join(from, 'node_modules')))
        symlinkSync(join(from, 'node_modules'), join(to, 'node_modules'));
      symlinkSync(to, join(own, name));
    }
  }
  symlinkSync(join(repositoryFolder, 'engines'), join(folder, 'engines'));
  for (const edit of edits) plant(folder, edit);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** @throws where the text is not there exactly once: the bug would be planted nowhere, or in the wrong place */
export function plant(folder: string, { file, text, by }: Edit): void {
  const path = join(folder, file);
  const before = readFileSync(path, 'utf8');
  const pattern = new RegExp(text.split(/\s+/).map(escaped).join('\\s+'), 'g');
  const found = [...before.matchAll(pattern)].length;
  if (found !== 1)
    throw new Error(
      `${file} has the text of a planted bug ${found} times instead of once: bring tools/faults/src/planted/bugs.ts up to date with it. The text is: ${text}`,
    );
  writeFileSync(
    path,
    before.replace(pattern, () => by),
  );
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
