import type { Job, JobState } from './job';
import { transition, type JobEvent } from './transition';

const STATES: JobState[] = [
  'uploading',
  'pending',
  'processing',
  'settling',
  'completed',
  'failed',
  'discarded',
];

const EVENTS: JobEvent[] = [
  {
    ...{ kind: 'submitted', heldSeconds: 30, sizeBytes: 1000, language: 'en', numSpeakers: 2, prompt: '' },
    ...{ analysis: null, webhookUrl: null },
  },
  { kind: 'claimed' },
  { kind: 'prepared', durationSeconds: 29.49, chunks: 3 },
  { kind: 'transcribed', durationSeconds: 29.49, resultKey: 'results/1.json', voicesKey: null },
  { kind: 'gave_up', errorMessage: 'why' },
  { kind: 'charge_refused', errorMessage: 'no credit' },
  { kind: 'settled', costMicroAud: 9667 },
  { kind: 'cancelled' },
  { kind: 'discarded' },
];

/** Rows are the states, columns the events in their order above; `.` means that the event comes too late. */
const TABLE = `
             submitted  claimed     prepared    transcribed  gave_up   charge_refused  settled    cancelled  discarded
uploading    pending    .           .           .            .         .               .          settling   discarded
pending      .          processing  .           .            settling  .               .          settling   discarded
processing   .          .           processing  settling     settling  .               .          settling   discarded
settling     .          .           .           .            .         settling        completed  .          .
completed    .          .           .           .            .         .               .          .          .
failed       .          .           .           .            .         .               .          .          .
discarded    .          .           .           .            .         .               .          .          .
`;

function job(state: JobState): Job {
  const decided = state === 'settling' || state === 'completed';
  return { state, outcome: decided ? 'completed' : state === 'failed' ? 'failed' : null };
}

describe('the lifecycle of a job', () => {
  const [header, ...lines] = TABLE.trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));

  it('is drawn for every state and every event', () => {
    expect(header).toEqual(EVENTS.map((event) => event.kind));
    expect(lines.map(([state]) => state)).toEqual(STATES);
  });

  for (const [state, ...next] of lines) {
    for (const [index, expected] of next.entries()) {
      const event = EVENTS[index]!;
      it(`${state} + ${event.kind} = ${expected === '.' ? 'nothing' : expected}`, () => {
        const change = transition(job(state as JobState), event);
        expect(change?.set.state ?? '.').toBe(expected);
        if (change) expect(change.from).toBe(state);
      });
    }
  }

  it('ends a job whose charge was refused as failed, with the reason and without its transcript', () => {
    const refused = transition(job('settling'), { kind: 'charge_refused', errorMessage: 'no credit' });
    expect(refused?.set).toMatchObject({
      ...{ outcome: 'failed', result_key: null, voices_key: null, error_message: 'no credit' },
    });
    const settled = transition(
      { ...job('settling'), outcome: 'failed' },
      { kind: 'settled', costMicroAud: 0 },
    );
    expect(settled?.set.state).toBe('failed');
  });

  it('ends a cancelled job as failed, with nothing to charge, and knows an upload by that nothing was held', () => {
    const cancelled = transition(job('processing'), { kind: 'cancelled' })!.set;
    expect(cancelled).toEqual({
      ...{ state: 'settling', outcome: 'failed', error_message: 'Cancelled by the client' },
    });
    expect(transition(job('uploading'), { kind: 'cancelled' })!.set).toEqual({
      ...{ ...cancelled, held_seconds: 0, size_bytes: 0 },
    });
  });

  it('shows the language that was detected in the place of the one that was asked for', () => {
    const event = { kind: 'transcribed', durationSeconds: 1, resultKey: 'r', voicesKey: null } as const;
    expect(transition(job('processing'), { ...event, language: 'de' })?.set).toMatchObject({
      language: 'de',
    });
    expect(transition(job('processing'), event)?.set).not.toHaveProperty('language');
  });

  it('refuses a charge only once: a job that is already failing stays as it is', () => {
    const failing = { ...job('settling'), outcome: 'failed' as const };
    expect(transition(failing, { kind: 'charge_refused', errorMessage: 'again' })).toBeNull();
  });
});
