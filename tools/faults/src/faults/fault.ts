import type { Arena } from '../arena/arena';
import type { MessageWatch } from '../invariants/messages';
import type { Load } from '../load/load';
import type { Random } from '../random';

/** What a fault may use. */
export interface Scene {
  readonly arena: Arena;
  readonly load: Load;
  readonly watch: MessageWatch;
  /** How long a dependency stays away, at most. */
  readonly outageSeconds: number;
  note(text: string): void;
}

/** One thing that goes wrong, planned: everything about it that chance decides is decided. */
export interface PlannedFault {
  readonly kind: string;
  /** For people: what exactly. */
  readonly what: string;
  /** What it breaks; two faults that break the same do not happen together. */
  readonly touches: readonly string[];
  /** Does it, for as long as it lasts, and mends what it broke. */
  happen(scene: Scene): Promise<void>;
}

export interface FaultKind {
  readonly name: string;
  /** Why it cannot be done here, if so. */
  unavailable?(arena: Arena): string | undefined;
  plan(random: Random): Omit<PlannedFault, 'kind'>;
}
