import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A program to compare with, in a process of its own, under the same Node and the same flags as the services. */
export interface Peer {
  readonly pid: number;
  /** Asks one question and waits for its answer. @throws Error with what the peer says went wrong */
  ask<Answer>(question: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

export type PeerName = 'bare-upload' | 'bare-answer' | 'nest-answer' | 'engine' | 'speech';

/** What a peer process answers: `error` when it could not. */
export interface PeerAnswer {
  readonly value?: unknown;
  readonly error?: string;
}

/** Starts dist/peers/<name>.js; ready when it answers its first question. It ends when this process does. */
export async function startPeer(name: PeerName): Promise<Peer> {
  const { NODE_ENV: _, ...env } = process.env;
  const child = fork(join(__dirname, `${name}.js`), [], {
    execArgv: ['--enable-source-maps'],
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'spawn');
  return {
    pid: child.pid!,
    ask: (question) => ask(child, question),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

function ask<Answer>(child: ChildProcess, question: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('The peer process ended'));
    child.once('exit', onExit);
    child.once('message', ({ value, error }: PeerAnswer) => {
      child.off('exit', onExit);
      if (error === undefined) resolve(value as Answer);
      else reject(new Error(error));
    });
    child.send(question as object);
  });
}
