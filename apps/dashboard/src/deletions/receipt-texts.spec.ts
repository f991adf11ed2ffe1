import type { DeletionReceipt } from '@currawong/contracts';
import { byText, erasedTexts, totalText, whatText } from './receipt-texts';

const RECEIPT: DeletionReceipt = {
  ...{ job_id: '0193', mode: 'live', reason: 'client', requested_by: 'session', key_id: null },
  ...{ requested_at: '2026-11-21T00:00:00Z', cancelled_at: null, erased_at: null },
  objects: [],
};

it('what was erased is counted by kind and in all', () => {
  const objects: DeletionReceipt['objects'] = [
    { kind: 'working_file', count: 1_200, bytes: 500_000 },
    { kind: 'recording', count: 1, bytes: 2_000_000 },
  ];
  expect(erasedTexts(objects)).toEqual(['Recording: 1 file, 2.0 MB', 'Made on the way: 1,200 files, 500 kB']);
  expect(totalText(objects)).toBe('1,201 files, 2.5 MB');
  expect(totalText([])).toBe('Nothing was stored');
});

it('a receipt says why, and who asked', () => {
  expect(whatText(RECEIPT)).toBe('Deleted');
  expect(whatText({ ...RECEIPT, cancelled_at: '2026-11-21T00:00:00Z' })).toBe('Cancelled');
  expect(whatText({ ...RECEIPT, reason: 'retention' })).toContain('by age');
  expect(byText({ ...RECEIPT, requested_by: 'key', key_id: '0199' })).toBe('The API key 0199');
});
