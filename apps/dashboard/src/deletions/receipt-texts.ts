import type { DeletionReceipt } from '@currawong/contracts';
import { fileSize } from '../format/size';

const KINDS = {
  recording: 'Recording',
  transcript: 'Transcript',
  voices: 'Notes on the voices',
  working_file: 'Made on the way',
} as const satisfies Record<DeletionReceipt['objects'][number]['kind'], string>;

/** What was erased of each kind, as in `Recording: 1 file, 1.2 MB`; what people think of first stands first. */
export function erasedTexts(objects: DeletionReceipt['objects']): string[] {
  return Object.entries(KINDS).flatMap(([kind, name]) =>
    objects.filter((one) => one.kind === kind).map((one) => `${name}: ${totalText([one])}`),
  );
}

/** `4 files, 1.2 MB` */
export function totalText(objects: DeletionReceipt['objects']): string {
  const count = objects.reduce((sum, one) => sum + one.count, 0);
  const bytes = objects.reduce((sum, one) => sum + one.bytes, 0);
  if (count === 0) return 'Nothing was stored';
  return `${count === 1 ? '1 file' : `${count.toLocaleString('en-AU')} files`}, ${fileSize(bytes)}`;
}

export function whatText({ reason, cancelled_at }: DeletionReceipt): string {
  if (reason === 'retention') return 'Deleted by age, as the settings say';
  if (reason === 'account_closed') return 'Deleted after the account was closed';
  return cancelled_at === null ? 'Deleted' : 'Cancelled';
}

export function byText({ requested_by, key_id }: DeletionReceipt): string {
  switch (requested_by) {
    case 'session':
      return 'Somebody signed in to the dashboard';
    case 'key':
      return `The API key ${key_id}`;
    case 'service':
      return 'The service itself';
  }
}
