import type { StreamName } from './define';

/**
 * The JetStream streams. WORK and RESULTS are work queues: a message leaves when one consumer has handled it.
 * EVENTS keeps what happened for a day, for live progress and webhooks.
 */
export const STREAMS: Record<StreamName, StreamDefinition> = {
  CURRAWONG_WORK: { subjects: ['work.>'], retention: 'workqueue' },
  CURRAWONG_RESULTS: { subjects: ['results.>'], retention: 'workqueue' },
  CURRAWONG_EVENTS: { subjects: ['events.>'], retention: 'limits', maxAgeSeconds: 86_400 },
};

export interface StreamDefinition {
  subjects: string[];
  retention: 'workqueue' | 'limits';
  maxAgeSeconds?: number;
}
