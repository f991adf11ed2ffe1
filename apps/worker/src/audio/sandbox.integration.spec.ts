import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killSandboxed, runSandboxed, takesNetworkAway, type SandboxLimits } from './sandbox';

const limits = { memoryBytes: 300 * 2 ** 20, cpuSeconds: 20 };
const folder = mkdtempSync(join(tmpdir(), 'currawong-sandbox-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(script: string, wanted: Partial<SandboxLimits> = {}) {
  const child = runSandboxed('/bin/sh', ['-c', script], { ...limits, ...wanted });
  let [out, complaints] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  await new Promise((done) => child.once('close', done));
  return { out: out.trim(), complaints, exitCode: child.exitCode, signal: child.signalCode };
}

it('gives the program nothing of our environment', async () => {
  process.env['SOME_SECRET'] = 'do not tell';
  const { out } = await run('cat /proc/self/environ | tr "\\0" "\\n"');
  delete process.env['SOME_SECRET'];
  // The shell of this test adds its own; what is ours is not there.
  expect(out).toContain('LC_ALL=C');
  expect(out).not.toMatch(/SOME_SECRET|HOME=|NODE|npm/);
});

it('holds it to its memory, its time and its files', async () => {
  const { out } = await run('ulimit -v; ulimit -t; ulimit -f; ulimit -c; ulimit -n');
  expect(out.split('\n')).toEqual([String(300 * 1024), '20', '0', '0', '64']);
});

it('lets it take no more memory than that', async () => {
  const taking = 'exec dd if=/dev/zero of=/dev/null bs=400M count=1';
  expect(await run(taking)).toMatchObject({ exitCode: 1 });
  expect(await run(taking, { memoryBytes: 2 ** 30 })).toMatchObject({ exitCode: 0 });
});

it('ends it when its time of the processor is used up, by a signal that says so', async () => {
  expect(await run('while :; do :; done', { cpuSeconds: 1 })).toMatchObject({ signal: 'SIGXCPU' });
});

it('lets it write no file, neither a new one nor into one that is there', async () => {
  const path = join(folder, 'kept.txt');
  writeFileSync(path, 'kept');
  await run(`echo changed >> ${path}`);
  await run(`echo new > ${join(folder, 'new.txt')}`);
  expect(readFileSync(path, 'utf8')).toBe('kept');
  const made = readdirSync(folder).filter((name) => statSync(join(folder, name)).size > 0);
  expect(made).toEqual(['kept.txt']);
});

it('puts it behind the others in the queue for the processor', async () => {
  // The nineteenth field; the second, the name, has no blank here.
  const { out } = await run('sleep 0.2; cat /proc/$$/stat');
  expect(Number(out.split(' ')[18])).toBeGreaterThan(0);
});

it('ends with it whatever it has started', async () => {
  const child = runSandboxed('/bin/sh', ['-c', 'sleep 300 & echo $!; wait'], limits);
  const pid = await new Promise<number>((tell) =>
    child.stdout.once('data', (chunk: Buffer) => tell(Number(chunk))),
  );
  expect(isThere(pid)).toBe(true);
  killSandboxed(child);
  for (let waited = 0; waited < 50 && isThere(pid); waited++) await sleep(20);
  expect(isThere(pid)).toBe(false);
});

const withNetworks = takesNetworkAway()
  ? it
  : (console.warn('Skipped: the kernel lets no program here have a network of its own, as in most pods.'),
    it.skip);

withNetworks('leaves it no network, not even that of this machine', async () => {
  const server = createServer((socket) => socket.end('reached'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const reach = `${process.execPath} -e "require('net').connect(${port}, '127.0.0.1').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))"`;
  const { out } = await run(reach, { memoryBytes: 8 * 2 ** 40 });
  server.close();
  expect(out).toMatch(/ENETUNREACH|ECONNREFUSED/);
});

function isThere(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
