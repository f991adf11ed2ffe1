import type { Stage } from '@currawong/contracts';

/** The duty of the workers that a stage is for: see the streams' consumers in the worker. */
export type Duty = 'speech' | 'audio';
export const DUTIES: readonly Duty[] = ['speech', 'audio'];
export const DUTY_OF_STAGE: Readonly<Record<Stage, Duty>> = {
  whole: 'speech',
  recognize: 'speech',
  prepare: 'audio',
  assemble: 'audio',
  rediarize: 'audio',
};
