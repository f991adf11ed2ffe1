import { postgresFull, natsFull, scratchFull } from './disks';
import type { FaultKind } from './fault';
import { partition } from './network';
import { crashed, frozen, killed, lateThenLost, paused, skewed, stopped } from './processes';
import {
  natsKilled,
  natsOlderCopy,
  postgresImmediate,
  postgresKilled,
  storeKilled,
  storePausedThenKilled,
} from './servers';
import { crowd, deliveredTwice, poisoned } from './work';

/** Everything that can go wrong here. */
export const FAULTS: readonly FaultKind[] = [
  ...[killed, stopped, frozen, crashed, paused, lateThenLost, skewed],
  ...[natsKilled, natsOlderCopy, postgresImmediate, postgresKilled, storeKilled, storePausedThenKilled],
  ...[partition, postgresFull, natsFull, scratchFull, deliveredTwice, crowd, poisoned],
];
