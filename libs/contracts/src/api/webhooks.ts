import { z } from 'zod';
import { Analysis, KeyMode, NumSpeakers } from '../jobs';
import { Timestamp } from './primitives';

/** What a receiver is sent of a job that has ended: the facts of the list form, without names that people gave. */
export const WebhookJob = z.object({
  id: z.uuid(),
  status: z.enum(['completed', 'failed']),
  mode: KeyMode,
  language: z.string(),
  audio_duration_seconds: z.number().int().nullable(),
  audio_duration_minutes: z.number().nullable(),
  error_message: z.string().nullable(),
  created_at: Timestamp,
  completed_at: Timestamp,
  cost_aud: z.number(),
  num_speakers: NumSpeakers,
  analysis: Analysis.nullable(),
});

/** The body of what is posted to a receiver. */
export const WebhookEvent = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['job.completed', 'job.failed']), timestamp: Timestamp, data: WebhookJob }),
  z.object({ type: z.literal('webhook.test'), timestamp: Timestamp, data: z.object({}) }),
]);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** The answer to GET and PUT /webhooks. */
export const WebhookSettings = z.object({
  /** Where the ends of jobs are told that name no address of their own. */
  url: z.string().nullable(),
  /** Whether nothing is sent there until it is set again. */
  disabled: z.boolean(),
  disabled_at: Timestamp.nullable(),
  disabled_reason: z.string().nullable(),
});
export type WebhookSettings = z.infer<typeof WebhookSettings>;

/** The body of PUT /webhooks. */
export const WebhookChange = z.object({
  url: z.string('must be an address such as https://example.com/hook, or null').nullable(),
});

/** The answer to GET /webhooks/secret and POST /webhooks/secret/rotation. */
export const WebhookSecret = z.object({
  secret: z.string(),
  created_at: Timestamp,
  /** Until when the one before signs as well; null where there is none. */
  previous_expires_at: Timestamp.nullable(),
});
export type WebhookSecret = z.infer<typeof WebhookSecret>;

export const WebhookDeliveryStatus = z.enum(['pending', 'delivered', 'failed']);

/** A message to one address, in a list. */
export const WebhookDelivery = z.object({
  /** As in the header webhook-id. */
  id: z.uuid(),
  type: z.enum(['job.completed', 'job.failed', 'webhook.test']),
  job_id: z.uuid().nullable(),
  url: z.string(),
  status: WebhookDeliveryStatus,
  created_at: Timestamp,
  /** How many attempts were made. */
  attempt_count: z.number().int(),
  last_attempt_at: Timestamp.nullable(),
  /** Of the last attempt; null where there was no answer. */
  last_status_code: z.number().int().nullable(),
  last_error: z.string().nullable(),
  /** Null where none is to come. */
  next_attempt_at: Timestamp.nullable(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookAttempt = z.object({
  number: z.number().int(),
  at: Timestamp,
  duration_ms: z.number().int(),
  status_code: z.number().int().nullable(),
  /** Why there was no answer; null where there was one. */
  error: z.string().nullable(),
  /** The beginning of the answer's body. */
  answer: z.string(),
});
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

/** The answer to GET /webhooks/deliveries/{id}. */
export const WebhookDeliveryDetail = WebhookDelivery.extend({
  payload: WebhookEvent,
  /** Oldest first. */
  attempts: z.array(WebhookAttempt),
});
export type WebhookDeliveryDetail = z.infer<typeof WebhookDeliveryDetail>;

/** The answer to GET /webhooks/deliveries. */
export const WebhookDeliveryList = z.object({
  deliveries: z.array(WebhookDelivery),
  total: z.number().int(),
  page: z.number().int(),
  page_size: z.number().int(),
  total_pages: z.number().int(),
});
export type WebhookDeliveryList = z.infer<typeof WebhookDeliveryList>;
