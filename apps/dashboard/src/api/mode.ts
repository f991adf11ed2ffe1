import type { KeyMode } from '@currawong/contracts';
import { useSyncExternalStore } from 'react';
import { remembered } from './remembered';

/** Whether the pages show what live keys or what test keys made. */
export const mode = remembered<KeyMode>('currawong.mode', ['live', 'test'], 'live');

export function useMode(): KeyMode {
  return useSyncExternalStore(mode.subscribe, mode.get);
}
