import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const repository = join(__dirname, '..', '..', '..', '..');
const program =
  process.env['CURRAWONG_WHISPER_SERVER'] ??
  join(repository, '.currawong', 'whisper-server', 'whisper-server');
const python = join(repository, '.currawong', 'venv', 'bin', 'python');

export interface WhisperServer {
  readonly url: string;
  readonly path: string;
  stop(): Promise<void>;
}

/** Says so where the program is not there: tools/whisper-server/build.sh makes it. */
export function describeWithWhisperServer(name: string, body: () => void): void {
  if (existsSync(program)) describe(name, body);
  else describe.skip(`${name} (no whisper-server: run tools/whisper-server/build.sh)`, body);
}

/** whisper.cpp's own server, with a tiny model of random weights. */
export async function startWhisperServer(): Promise<WhisperServer> {
  const folder = mkdtempSync(join(tmpdir(), 'currawong-whisper-'));
  const model = join(folder, 'tiny.bin');
  const made = spawnSync(python, [join(repository, 'tools', 'models', 'tiny-whisper-ggml.py'), model]);
  if (made.status !== 0) throw new Error(`The model could not be made: ${made.stderr.toString()}`);
  const port = await freePort();
  const path = '/v1/audio/transcriptions';
  const options = ['--port', `${port}`, '--inference-path', path, '--threads', '1'];
  // Without fallback to other temperatures, and without a second look for the language of each.
  const child = spawn(
    program,
    ['--model', model, ...options, '--no-fallback', '--no-language-probabilities'],
    {
      stdio: 'ignore',
    },
  );
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const server = {
    url: `http://127.0.0.1:${port}`,
    path,
    async stop() {
      child.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  for (let waits = 0; waits < 300; waits++) {
    const answer = await fetch(`${server.url}/health`).catch(() => undefined);
    if (answer?.ok) return server;
    await sleep(100);
  }
  await server.stop();
  throw new Error('The whisper-server did not come up.');
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
