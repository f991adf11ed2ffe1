import { FAULTS } from './faults/all';
import { schedule, type Round } from './schedule';

function rounds(seed: number, count: number): Round[] {
  const found: Round[] = [];
  for (const round of schedule(seed, FAULTS)) {
    found.push(round);
    if (found.length === count) break;
  }
  return found;
}

const words = (found: Round[]) =>
  found.map(({ faults, delays, loadSeed }) => [faults.map(({ what }) => what), delays, loadSeed]);

it('the same seed gives the same faults at the same moments, another one others', () => {
  expect(words(rounds(17, 40))).toEqual(words(rounds(17, 40)));
  expect(words(rounds(17, 40))).not.toEqual(words(rounds(18, 40)));
});

it('every fault has its turn within an hour, and none breaks what another one is breaking', () => {
  const found = rounds(3, 60);
  const kinds = new Set(found.flatMap(({ faults }) => faults.map(({ kind }) => kind)));
  expect([...kinds].sort()).toEqual(FAULTS.map(({ name }) => name).sort());
  for (const { faults } of found) {
    const touched = faults.flatMap(({ touches }) => touches);
    expect(touched).toEqual([...new Set(touched)]);
  }
});
