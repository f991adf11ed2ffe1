/** @returns false when the time is over first; the work itself goes on. @throws what the work throws */
export async function settlesWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([work.then(() => true), timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}
