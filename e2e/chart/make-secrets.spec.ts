import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Stands for the program `aws`: keeps each secret in a file, as the real one would in its store. */
const AWS = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const words = process.argv.slice(2);
const after = (word) => words[words.indexOf(word) + 1];
const file = (name) => process.env.STORE + '/' + name.replaceAll('/', '-') + '.json';
if (words.includes('get-secret-value')) {
  const path = file(after('--secret-id'));
  if (!existsSync(path)) {
    process.stderr.write('ResourceNotFoundException');
    process.exit(254);
  }
  process.stdout.write(readFileSync(path));
} else {
  const name = words.includes('create-secret') ? after('--name') : after('--secret-id');
  writeFileSync(file(name), readFileSync(after('--secret-string').slice('file://'.length)));
}
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'currawong-secrets-test-'));
  mkdirSync(join(folder, 'store'));
  writeFileSync(join(folder, 'aws'), AWS);
  chmodSync(join(folder, 'aws'), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

const program = join(__dirname, '..', '..', 'k8s', 'secrets', 'make.mjs');
function make(...words: string[]): void {
  execFileSync(process.execPath, [program, '--region', 'ap-southeast-2', ...words], {
    env: { ...process.env, PATH: `${folder}:${process.env['PATH']}`, STORE: join(folder, 'store') },
  });
}
function secret(name: string): Record<string, string> {
  return JSON.parse(readFileSync(join(folder, 'store', `${name}.json`), 'utf8')) as Record<string, string>;
}

it('a user that a newer version has is added with --renew-nats, to the services and to the servers', () => {
  make();
  const all = secret('currawong-nats');
  const { webhooks, ...before } = all;
  expect(webhooks).toMatch(/^SU/);
  writeFileSync(join(folder, 'store', 'currawong-nats.json'), JSON.stringify(before));

  make('--renew-nats');
  const renewed = secret('currawong-nats');
  expect(renewed).toEqual({ ...before, webhooks: expect.stringMatching(/^SU/) as string });
  const authorization = secret('currawong-nats-server')['authorization.conf']!;
  expect(authorization.match(/nkey: U/g)).toHaveLength(Object.keys(all).length);

  make('--renew-nats');
  expect(secret('currawong-nats')).toEqual(renewed);
});

it('without it nothing that is there is touched', () => {
  make();
  const before = secret('currawong-databases');
  make();
  expect(secret('currawong-databases')).toEqual(before);
  expect(existsSync(join(folder, 'store', 'currawong-nats.json'))).toBe(true);
});
