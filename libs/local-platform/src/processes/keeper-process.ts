// Runs as its own process beside the platform and outlives it by seconds: it reads from its standard input which
// processes there are, and when that pipe closes, however its writer ended (kill -9 included), it stops them all.
// It imports Node alone, so that Node can also run it as TypeScript, straight from the sources.
import * as fs from 'node:fs';
import * as readline from 'node:readline';

interface Kept {
  pid: number;
  stage: number;
  signal: NodeJS.Signals;
}

const kept = new Map<number, Kept>();
const files = new Set<string>();
const graceMilliseconds = 5_000;
const pollMilliseconds = 50;

// A signal meant for the platform must not take away the one process that cleans up after it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const lines = readline.createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const message = JSON.parse(line) as { add?: Kept; remove?: number; file?: string };
  if (message.add) kept.set(message.add.pid, message.add);
  if (message.remove !== undefined) kept.delete(message.remove);
  if (message.file !== undefined) files.add(message.file);
});
lines.on('close', () => void stopAll().finally(() => process.exit(0)));

/** Services before the servers that they use: stage by stage, politely first, then by force. */
async function stopAll(): Promise<void> {
  for (const file of files) fs.rmSync(file, { force: true });
  const stages = [...new Set([...kept.values()].map((one) => one.stage))].sort((a, b) => a - b);
  for (const stage of stages) {
    const members = [...kept.values()].filter((one) => one.stage === stage);
    for (const one of members) send(one.pid, one.signal);
    const deadline = Date.now() + graceMilliseconds;
    while (Date.now() < deadline && members.some((one) => send(one.pid, 0))) {
      await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
    }
    // Each leads its own process group: what it had started goes with it.
    for (const one of members) send(-one.pid, 'SIGKILL');
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
