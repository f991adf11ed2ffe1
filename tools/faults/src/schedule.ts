import type { FaultKind, PlannedFault } from './faults/fault';
import { Random } from './random';

/** What happens between two checks: faults that overlap, and from where the load draws. */
export interface Round {
  readonly faults: readonly PlannedFault[];
  /** Seconds of load before each fault begins, one for each. */
  readonly delays: readonly number[];
  readonly loadSeed: number;
}

/** A crash point among seventeen is one kind of many: it comes up more often than the others. */
const EXTRA_TURNS: Readonly<Record<string, number>> = { 'crash-point': 3, network: 2, 'service-killed': 2 };

/** Rounds without end; the same seed and kinds give the same rounds. */
export function* schedule(seed: number, kinds: readonly FaultKind[]): Generator<Round> {
  const random = new Random(seed);
  let deck: FaultKind[] = [];
  const draw = () => {
    if (deck.length === 0)
      deck = random.shuffled(
        kinds.flatMap((kind) => Array.from({ length: EXTRA_TURNS[kind.name] ?? 1 }, () => kind)),
      );
    const kind = deck.pop() as FaultKind;
    return { kind: kind.name, ...kind.plan(random.fork()) };
  };
  for (;;) {
    const faults: PlannedFault[] = [draw()];
    const wanted = kinds.length === 1 ? 1 : random.oneOf([1, 2, 2, 3]);
    for (let more = 1; more < wanted; more++) {
      const next = draw();
      const overlaps = faults.some(({ touches }) => touches.some((one) => next.touches.includes(one)));
      if (!overlaps) faults.push(next);
    }
    yield {
      faults,
      delays: faults.map(() => random.between(0.5, 3)),
      loadSeed: random.below(2 ** 31),
    };
  }
}
