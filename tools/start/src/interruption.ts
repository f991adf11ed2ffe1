/** Asks the program to stop: Ctrl-C, a signal, or the end of the process that started it. */
export interface Interruption {
  /** Settles when the program shall stop. */
  readonly asked: Promise<void>;
  readonly wasAsked: () => boolean;
}

/**
 * One Ctrl-C arrives up to three times: from the terminal, from npm and from the process in between. So only an
 * insistent one, seconds later, ends the program without waiting; the keeper then clears up behind it.
 */
export function listenForInterruption(insistAfterSeconds = 2): Interruption {
  let firstAt: number | undefined;
  let settle: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (settle = resolve));
  const hear = () => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      settle();
    } else if (performance.now() - firstAt > insistAfterSeconds * 1000) process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, hear);
  process.once('disconnect', hear);
  // The listener alone would keep the process alive.
  process.channel?.unref();
  // A reader that has gone away (`npm start | head`) must not end the program in the middle of something.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return { asked, wasAsked: () => firstAt !== undefined };
}
