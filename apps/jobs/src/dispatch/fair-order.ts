/** An account with work that waits. */
export interface Contender {
  accountId: string;
  /** How much more audio it gets than an account of weight 1. */
  weight: number;
  /** Pieces of it that may be released at a time; null for any number. */
  concurrency: number | null;
  /** Pieces of it that are released now. */
  released: number;
  /** Virtual time at which its next turn is due; one that is past means now. */
  due: number;
  /** In the order in which the account has them done. */
  items: readonly WaitingItem[];
}

export interface WaitingItem {
  id: string;
  /** length of the audio that it is about */
  seconds: number;
  /** ms since 1970 */
  createdAtMs: number;
}

export interface Turns {
  /** In the order of release. */
  ids: string[];
  /** The accounts whose next turn is due later than before. */
  due: Map<string, number>;
  virtualTime: number;
}

/** What a piece costs besides its audio, so that nobody gets thousands of empty ones for nothing. Seconds of audio. */
const COST_OF_ANY_PIECE = 1;

export function costOf({ seconds }: Pick<WaitingItem, 'seconds'>): number {
  return COST_OF_ANY_PIECE + seconds;
}

/**
 * Whose work is released next: start-time fair queueing (Goyal, Vin and Cheng, 1996). An account's turn comes at
 *
 *   start = max(virtual time, due),  and then  due = start + cost / weight,
 *
 * the earliest start goes first and becomes the virtual time; ties go by age. Accounts that have work all along share by
 * weight, to within one piece each, and one that had none for a while neither saves turns up nor waits for those that others
 * had meanwhile. Nothing overtakes a piece that has no room: long ones would never have any. Pure.
 *
 * @param takes asked for one piece after the other; false ends the round
 */
export function chooseTurns(
  contenders: readonly Contender[],
  virtualTime: number,
  takes: (item: WaitingItem) => boolean,
): Turns {
  const queues = contenders.map((contender) => ({ ...contender, next: 0 }));
  const turns: Turns = { ids: [], due: new Map(), virtualTime };
  for (;;) {
    let first: { start: number; queue: (typeof queues)[number]; item: WaitingItem } | undefined;
    for (const queue of queues) {
      const item = queue.items[queue.next];
      if (!item || (queue.concurrency !== null && queue.released >= queue.concurrency)) continue;
      const start = Math.max(turns.virtualTime, queue.due);
      if (!first || start < first.start || (start === first.start && isOlder(item, first.item)))
        first = { start, queue, item };
    }
    if (!first || !takes(first.item)) return turns;
    const { queue, item, start } = first;
    turns.ids.push(item.id);
    turns.virtualTime = start;
    queue.due = start + costOf(item) / queue.weight;
    turns.due.set(queue.accountId, queue.due);
    queue.next++;
    queue.released++;
  }
}

function isOlder(one: WaitingItem, other: WaitingItem): boolean {
  return one.createdAtMs < other.createdAtMs || (one.createdAtMs === other.createdAtMs && one.id < other.id);
}
