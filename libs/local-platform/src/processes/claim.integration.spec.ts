import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claim, whileClaimed } from './claim';
import { identify } from './identity';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'currawong-claim-')), 'start.lock');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }));

it('the first claim holds, the second learns who holds it, and after the release it is free', async () => {
  const first = await claim(path);
  expect(await claim(path)).toEqual({ holder: identify(process.pid) });
  if (!('release' in first)) throw new Error('not claimed');
  first.release();
  expect(existsSync(path)).toBe(false);
  expect(await claim(path)).toHaveProperty('release');
});

it.each([
  ['a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, began: 'then' })],
  ['a process whose id has gone to another', JSON.stringify({ pid: process.pid, began: 'then' })],
  ['a crash while it was written', '{"pid": 1'],
])('a claim left by %s counts for nothing', async (_what, content) => {
  writeFileSync(path, content);
  expect(await claim(path)).toHaveProperty('release');
});

it('of many at once, exactly one gets it', async () => {
  const claims = await Promise.all(Array.from({ length: 20 }, () => claim(path)));
  expect(claims.filter((one) => 'release' in one)).toHaveLength(1);
});

it('work under one claim never overlaps, and the claim is given back when it fails', async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setTimeout(resolve, 20));
    inside -= 1;
    throw new Error('failed');
  };
  const all = await Promise.allSettled([1, 2, 3].map(() => whileClaimed(path, work)));
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(most).toBe(1);
});
