/** Ctrl-C, which means something else in each part of a command. */
export interface Interruption {
  /** What the next Ctrl-C does, instead of what it would have done before. */
  next(action: () => void): void;
}

/** Until something else is said, Ctrl-C ends the program. */
export function listenForInterruption(): Interruption {
  let action = () => process.exit(130);
  process.on('SIGINT', () => action());
  return { next: (one) => (action = one as () => never) };
}
