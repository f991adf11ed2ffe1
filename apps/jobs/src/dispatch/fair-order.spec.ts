import { chooseTurns, costOf, type Contender } from './fair-order';

function account(accountId: string, seconds: number[], options: Partial<Contender> = {}): Contender {
  return {
    ...{ accountId, weight: 1, concurrency: null, released: 0, due: 0 },
    items: seconds.map((length, index) => ({
      id: `${accountId}-${String(index).padStart(4, '0')}`,
      seconds: length,
      createdAtMs: index,
    })),
    ...options,
  };
}
const times = (count: number, seconds: number) => Array.from({ length: count }, () => seconds);
const upTo = (count: number) => {
  let left = count;
  return () => left-- > 0;
};
const ownerOf = (id: string) => id.split('-')[0]!;

/** Numbers that look random and are the same each time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

it('one account alone has its work done in its order', () => {
  const { ids } = chooseTurns([account('a', times(5, 10))], 0, upTo(3));
  expect(ids).toEqual(['a-0000', 'a-0001', 'a-0002']);
});

it('one file waits for no more than one piece of an account with 5,000', () => {
  const many = account('many', times(5_000, 30));
  const one = account('one', [30]);
  one.items = one.items.map((item) => ({ ...item, createdAtMs: 1_000_000 }));
  const { ids } = chooseTurns([many, one], 0, upTo(3));
  expect(ids.indexOf('one-0000')).toBeLessThanOrEqual(1);
});

it('an account that waited while others were served does not save its turns up', () => {
  const before = chooseTurns([account('busy', times(100, 10))], 0, upTo(50));
  const busy = account('busy', times(20, 10), { due: before.due.get('busy')! });
  const { ids } = chooseTurns([busy, account('new', times(20, 10))], before.virtualTime, upTo(20));
  expect(ids.filter((id) => ownerOf(id) === 'new').length).toBeLessThanOrEqual(11);
});

it('the turns that were had are remembered from one round to the next', () => {
  const served: string[] = [];
  const rest = new Map([
    ['old', times(50, 10)],
    ...Array.from({ length: 10 }, (_, n) => [`new${n}`, times(5, 10)] as const),
  ]);
  const due = new Map<string, number>();
  let virtualTime = 0;
  // One free slot at a time: an account with older work must not have every second turn.
  for (let round = 0; round < 22; round++) {
    const contenders = [...rest].map(([id, left]) => account(id, left, { due: due.get(id) ?? 0 }));
    const turn = chooseTurns(contenders, virtualTime, upTo(1));
    virtualTime = turn.virtualTime;
    for (const [id, at] of turn.due) due.set(id, at);
    const owner = ownerOf(turn.ids[0]!);
    rest.get(owner)!.pop();
    served.push(owner);
  }
  expect(served.filter((id) => id === 'old')).toHaveLength(2);
});

it('accounts with work all along share by weight, to within one piece each, whatever the lengths', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomNumbers(seed);
    const longest = 1 + Math.floor(random() * 240);
    const contenders = Array.from({ length: 2 + Math.floor(random() * 6) }, (_, n) =>
      account(
        `a${n}`,
        Array.from({ length: 600 }, () => Math.ceil(random() * longest)),
        { weight: 1 + Math.floor(random() * 4) },
      ),
    );
    const secondsOf = new Map(
      contenders.flatMap(({ items }) => items.map((item) => [item.id, costOf(item)] as const)),
    );
    const { ids } = chooseTurns(contenders, 0, upTo(300));
    expect(new Set(ids).size).toBe(300);
    const shares = contenders.map(
      ({ accountId, weight }) =>
        ids.filter((id) => ownerOf(id) === accountId).reduce((sum, id) => sum + secondsOf.get(id)!, 0) /
        weight,
    );
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(2 * (longest + 1));
  }
});

it('nobody starves: with a finite number of others everybody has a turn', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = randomNumbers(seed);
    const accounts = 2 + Math.floor(random() * 30);
    const contenders = Array.from({ length: accounts }, (_, n) =>
      account(`a${n}`, times(200, 1 + Math.floor(random() * 100)), { weight: 0.5 + random() * 4 }),
    );
    // The cost of a piece and its weight bound the turns that others have before.
    const bound = contenders.length * Math.ceil((101 / 0.5) * (4.5 / 2)) + 1;
    const { ids } = chooseTurns(contenders, 0, upTo(Math.min(bound, 200)));
    if (ids.length >= bound) expect(new Set(ids.map(ownerOf)).size).toBe(accounts);
    // The first round of turns goes round: all start at the same time.
    expect(new Set(ids.slice(0, accounts).map(ownerOf)).size).toBe(accounts);
  }
});

it('an account at its limit waits, and does not hold up the others', () => {
  const limited = account('limited', times(10, 1), { concurrency: 2, released: 1 });
  const { ids } = chooseTurns([limited, account('free', times(10, 100))], 0, upTo(6));
  expect(ids.filter((id) => ownerOf(id) === 'limited')).toHaveLength(1);
  expect(ids).toHaveLength(6);
});

it('what has no room is not overtaken', () => {
  const contenders = [account('long', [1_000]), account('short', times(5, 1), { due: 5 })];
  expect(chooseTurns(contenders, 0, ({ seconds }) => seconds < 100).ids).toEqual([]);
});
