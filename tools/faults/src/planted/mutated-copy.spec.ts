import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plant } from './mutated-copy';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'currawong-plant-'));
  writeFileSync(join(folder, 'file.js'), 'call(one,\n    two);\ncall(three);\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('puts one text in the place of another, however the lines are broken', () => {
  plant(folder, { file: 'file.js', text: 'call(one, two);', by: "call('$&');" });
  expect(readFileSync(join(folder, 'file.js'), 'utf8')).toBe("call('$&');\ncall(three);\n");
});

it.each([
  ['nowhere(', 0],
  ['call(', 2],
])('a text that is not there exactly once is refused: %s', (text, times) => {
  expect(() => plant(folder, { file: 'file.js', text, by: '' })).toThrow(
    `file.js has the text of a planted bug ${times} times instead of once`,
  );
});
