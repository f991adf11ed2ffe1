import type { DocumentedConfig } from '../openapi';
import type { Operation } from '../operation';
import { ACCOUNT_OPERATIONS } from './account';
import { JOB_OPERATIONS } from './jobs';
import { MONEY_OPERATIONS } from './money';
import { SERVICE_OPERATIONS } from './service';
import { transcribeOperation } from './transcribe';

/** Everything that can be asked, in the order in which a newcomer needs it. */
export function operations(config: DocumentedConfig): Operation[] {
  return [
    transcribeOperation(config),
    ...JOB_OPERATIONS,
    ...MONEY_OPERATIONS,
    ...SERVICE_OPERATIONS,
    ...ACCOUNT_OPERATIONS,
  ];
}
