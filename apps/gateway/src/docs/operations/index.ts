import type { DocumentedConfig } from '../openapi';
import type { Operation } from '../operation';
import { ACCOUNT_OPERATIONS } from './account';
import { JOB_OPERATIONS } from './jobs';
import { MONEY_OPERATIONS } from './money';
import { openAiOperations } from './openai';
import { SERVICE_OPERATIONS } from './service';
import { transcribeOperation } from './transcribe';
import { UPLOAD_OPERATIONS } from './uploads';
import { WEBHOOK_OPERATIONS } from './webhooks';

/** Everything that can be asked, in the order in which a newcomer needs it. */
export function operations(config: DocumentedConfig): Operation[] {
  return [
    transcribeOperation(config),
    ...UPLOAD_OPERATIONS,
    ...JOB_OPERATIONS,
    ...WEBHOOK_OPERATIONS,
    ...openAiOperations(config),
    ...MONEY_OPERATIONS,
    ...SERVICE_OPERATIONS,
    ...ACCOUNT_OPERATIONS,
  ];
}
