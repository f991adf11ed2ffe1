/** What a seed determines: the same seed gives the same sequence (mulberry32). */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** From 0 up to 1. */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + this.fraction() * (high - low);
  }

  /** A whole number from 0 up to, without, `end`. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  oneOf<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const deck = [...items];
    for (let at = deck.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      [deck[at], deck[other]] = [deck[other] as T, deck[at] as T];
    }
    return deck;
  }

  /** A source of its own, so that how often one part draws does not change what another part gets. */
  fork(): Random {
    return new Random(this.below(2 ** 31));
  }
}
