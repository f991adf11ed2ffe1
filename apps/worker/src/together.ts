/**
 * All of several pieces of work, or the first failure once the others have been told to stop and have: what is left to go
 * on for nobody would pile up, since the same work is tried again.
 * @param start begins them; the signal is aborted with `signal`, and by the first failure
 */
export async function together<Values extends readonly unknown[]>(
  signal: AbortSignal,
  start: (signal: AbortSignal) => { [Index in keyof Values]: Promise<Values[Index]> },
): Promise<Values> {
  const stop = new AbortController();
  const pieces = start(AbortSignal.any([signal, stop.signal])) as readonly Promise<unknown>[];
  try {
    return (await Promise.all(pieces)) as unknown as Values;
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(pieces);
    throw error;
  }
}
