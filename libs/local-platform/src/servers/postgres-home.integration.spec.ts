import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePostgresHome, isReachable } from './postgres-home';

const stranger = { uid: 65_534, gid: 65_534 };
let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'currawong-home-')), 'a repository', '.currawong');
  mkdirSync(folder, { recursive: true });
  chmodSync(join(folder, '..', '..'), 0o755);
});
afterEach(() => rmSync(join(folder, '..', '..'), { recursive: true, force: true }));

it('a data folder that everybody may pass into is used as it is', () => {
  expect(isReachable(folder, stranger)).toBe(true);
  expect(choosePostgresHome(folder, stranger)).toBe(folder);
});

it('our own user needs no other folder', () => {
  chmodSync(join(folder, '..'), 0o700);
  expect(choosePostgresHome(folder, undefined)).toBe(folder);
});

const asRoot = process.getuid?.() === 0 ? it : it.skip;
asRoot(
  'below a private folder, another one is chosen that the user can reach, the same every time (as root)',
  () => {
    chmodSync(join(folder, '..'), 0o700);
    expect(isReachable(folder, stranger)).toBe(false);
    const home = choosePostgresHome(folder, stranger);
    try {
      expect(home).not.toBe(folder);
      expect(isReachable(home, stranger)).toBe(true);
      expect(choosePostgresHome(folder, stranger)).toBe(home);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
