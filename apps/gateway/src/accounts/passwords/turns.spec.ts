import { Turns } from './turns';

/** Pieces of work that end when the test says so. */
function pieces(turns: Turns) {
  const started: (() => void)[] = [];
  const begin = () => turns.take(() => new Promise<void>((resolve) => started.push(resolve)));
  return { started, begin };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('no more run at once than are allowed, and who waits comes next', async () => {
  const { started, begin } = pieces(new Turns({ atOnce: 2, waiting: 10 }));
  const all = Array.from({ length: 5 }, begin);
  await settled();
  for (let ended = 0; ended < 5; ended++) {
    expect(started).toHaveLength(Math.min(5, 2 + ended));
    started[ended]!();
    await settled();
  }
  await Promise.all(all);
});

it('who would have to wait too long is told so at once, and those in line are not harmed', async () => {
  const { started, begin } = pieces(new Turns({ atOnce: 1, waiting: 1 }));
  const [first, second] = [begin(), begin()];
  await expect(begin()).rejects.toMatchObject({ refusal: { code: 'unavailable' } });
  started[0]!();
  await first;
  await settled();
  started[1]!();
  await second;
});

it('work that fails gives its turn to the next', async () => {
  const turns = new Turns({ atOnce: 1, waiting: 5 });
  const failing = turns.take(() => Promise.reject(new Error('broken')));
  const next = turns.take(() => Promise.resolve('fine'));
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('fine');
  expect(await turns.take(() => Promise.resolve('again'))).toBe('again');
});
