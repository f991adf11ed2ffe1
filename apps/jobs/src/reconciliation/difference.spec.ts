import type { HoldView } from '@currawong/contracts';
import type { JobState } from '../lifecycle/job';
import { differenceOf } from './difference';

const job = (state: JobState, more: object = {}) => ({
  id: 'j',
  account_id: 'a',
  mode: 'live' as const,
  state,
  cost_micro_aud: state === 'completed' ? '20000' : null,
  ...more,
});
const hold = (state: HoldView['state'], more: Partial<HoldView> = {}): HoldView => ({
  job_id: 'j',
  account_id: 'a',
  state,
  seconds: 60,
  charged_micro_aud: state === 'captured' ? 20_000 : null,
  placed_at: '2026-11-21T00:00:00Z',
  ...more,
});

// What billing has for the job:     nothing, an open hold, a charge, a hold that was given back.
it.each<[JobState, (string | null)[]]>([
  ['uploading', [null, null, 'charge_without_job', null]],
  ['pending', ['job_without_hold', null, 'job_without_hold', 'job_without_hold']],
  ['processing', ['job_without_hold', null, 'job_without_hold', 'job_without_hold']],
  ['settling', ['job_without_hold', null, 'job_without_hold', 'job_without_hold']],
  ['completed', ['completed_not_charged', 'completed_not_charged', null, 'completed_not_charged']],
  ['failed', [null, 'failed_held', 'failed_charged', null]],
  ['discarded', [null, 'hold_without_job', 'charge_without_job', null]],
])('a job that is %s', (state, expected) => {
  const holds = [undefined, hold('pending'), hold('captured'), hold('released')];
  expect(holds.map((one) => differenceOf(job(state), one))).toEqual(expected);
});

it('a hold without any job is one, and so is a charge', () => {
  expect(differenceOf(undefined, hold('pending'))).toBe('hold_without_job');
  expect(differenceOf(undefined, hold('captured'))).toBe('charge_without_job');
  expect(differenceOf(undefined, hold('released'))).toBeNull();
});

it('a test job touches no money', () => {
  expect(differenceOf(job('processing', { mode: 'test' }), undefined)).toBeNull();
  expect(differenceOf(job('processing', { mode: 'test' }), hold('pending'))).toBe('hold_without_job');
  expect(differenceOf(job('completed', { mode: 'test' }), hold('captured'))).toBe('charge_without_job');
});

it('a charge must be the job’s cost to the micro-AUD, and of its account', () => {
  const completed = job('completed');
  expect(differenceOf(completed, hold('captured', { charged_micro_aud: 20_001 }))).toBe(
    'completed_charged_otherwise',
  );
  expect(differenceOf(job('completed', { cost_micro_aud: null }), hold('captured'))).toBe(
    'completed_charged_otherwise',
  );
  expect(differenceOf(completed, hold('captured', { account_id: 'b' }))).toBe('account_differs');
});
