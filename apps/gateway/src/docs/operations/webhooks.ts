import {
  WebhookChange,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookSecret,
  WebhookSettings,
} from '@currawong/contracts';
import { DeliveryQuery } from '../../webhooks/deliveries.controller';
import type { Operation, ParameterNote } from '../operation';
import { JOB_ID } from './examples';

const DELIVERY_ID = '7d1a5b0e-93f4-5c0b-8f0a-2c6f7f1b9e21';
const DELIVERY_PARAMETER: ParameterNote = { description: 'The `webhook-id`.', example: DELIVERY_ID };
const SETTINGS = {
  url: 'https://example.com/hooks/currawong',
  disabled: false,
  disabled_at: null,
  disabled_reason: null,
};
const SECRET = {
  secret: 'whsec_4fGh…x9Kd=',
  created_at: '2026-11-21T03:04:05.000Z',
  previous_expires_at: '2026-11-22T03:04:05.000Z',
};
const DELIVERY = {
  id: DELIVERY_ID,
  type: 'job.completed',
  job_id: JOB_ID,
  url: SETTINGS.url,
  status: 'delivered',
  created_at: '2026-11-21T03:04:05.000Z',
  attempt_count: 1,
  last_attempt_at: '2026-11-21T03:04:05.120Z',
  last_status_code: 200,
  last_error: null,
  next_attempt_at: null,
};
const DETAIL = {
  ...DELIVERY,
  payload: {
    type: 'job.completed',
    timestamp: '2026-11-21T03:04:05.000Z',
    data: {
      id: JOB_ID,
      status: 'completed',
      mode: 'live',
      language: 'en',
      audio_duration_seconds: 90,
      audio_duration_minutes: 1.5,
      error_message: null,
      created_at: '2026-11-21T03:03:40.000Z',
      completed_at: '2026-11-21T03:04:05.000Z',
      cost_aud: 0.03,
      num_speakers: null,
      analysis: null,
    },
  },
  attempts: [
    {
      number: 1,
      at: '2026-11-21T03:04:05.020Z',
      duration_ms: 100,
      status_code: 200,
      error: null,
      answer: 'ok',
    },
  ],
};

export const WEBHOOK_OPERATIONS: Operation[] = [
  {
    id: 'getWebhook',
    method: 'get',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'Get the account’s address for webhooks',
    access: 'session',
    answers: { 200: { description: 'The settings.', schema: WebhookSettings, example: SETTINGS } },
  },
  {
    id: 'setWebhook',
    method: 'put',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'Set the account’s address for webhooks, or take it away',
    description:
      'Used for jobs without a `webhook_url` of their own. An address that was disabled is in use again, and what is still ' +
      'pending goes to the new one.',
    access: 'session',
    body: {
      mediaType: 'application/json',
      schema: WebhookChange,
      example: { url: SETTINGS.url },
    },
    answers: { 200: { description: 'The settings.', schema: WebhookSettings, example: SETTINGS } },
    refusals: [
      ['body_unreadable', 'Send the body as JSON, with Content-Type: application/json.'],
      ['invalid_parameter', 'url: must lead to a public address on the internet'],
    ],
  },
  {
    id: 'getWebhookSecret',
    method: 'get',
    path: '/webhooks/secret',
    tag: 'Webhooks',
    summary: 'Get the secret that signs webhooks',
    description: 'That it was shown is in the audit log.',
    access: 'session',
    answers: {
      200: {
        description: 'The secret.',
        schema: WebhookSecret,
        example: { ...SECRET, previous_expires_at: null },
      },
    },
  },
  {
    id: 'rotateWebhookSecret',
    method: 'post',
    path: '/webhooks/secret/rotation',
    tag: 'Webhooks',
    summary: 'Replace the secret that signs webhooks',
    description:
      'For 24 hours everything is signed with both, so that receivers can change over meanwhile. A second rotation within ' +
      'them ends the first secret at once.',
    access: 'session',
    answers: { 200: { description: 'The new secret.', schema: WebhookSecret, example: SECRET } },
  },
  {
    id: 'testWebhook',
    method: 'post',
    path: '/webhooks/test',
    tag: 'Webhooks',
    summary: 'Send a test to the account’s address',
    description:
      'One attempt to deliver an event of the type `webhook.test`. Answers when it is over, or after 20 seconds with a ' +
      'delivery that is still `pending`.',
    access: 'session',
    answers: {
      200: {
        description: 'What became of it.',
        schema: WebhookDeliveryDetail,
        example: {
          ...DETAIL,
          type: 'webhook.test',
          job_id: null,
          payload: { type: 'webhook.test', timestamp: '2026-11-21T03:04:05.000Z', data: {} },
        },
      },
    },
    refusals: ['webhook_not_set'],
  },
  {
    id: 'listWebhookDeliveries',
    method: 'get',
    path: '/webhooks/deliveries',
    tag: 'Webhooks',
    summary: 'List deliveries, newest first',
    description:
      'Of the account and the mode of the key: a test key sees those of test jobs alone. They are kept for 30 days.',
    access: 'key or session',
    query: DeliveryQuery,
    parameters: {
      page: { description: 'From 1.', example: 1 },
      page_size: { description: 'From 1 to 100.', example: 20 },
      status: { description: 'Deliveries of this status alone.', example: 'failed' },
      job_id: { description: 'Those of one job.', example: JOB_ID },
    },
    answers: {
      200: {
        description: 'A page of deliveries.',
        schema: WebhookDeliveryList,
        example: { deliveries: [DELIVERY], total: 1, page: 1, page_size: 20, total_pages: 1 },
      },
    },
    refusals: [['invalid_parameter', 'status: must be one of pending, delivered, failed']],
  },
  {
    id: 'getWebhookDelivery',
    method: 'get',
    path: '/webhooks/deliveries/{id}',
    tag: 'Webhooks',
    summary: 'Get a delivery with its attempts',
    access: 'key or session',
    parameters: { id: DELIVERY_PARAMETER },
    answers: { 200: { description: 'The delivery.', schema: WebhookDeliveryDetail, example: DETAIL } },
    refusals: ['delivery_not_found'],
  },
  {
    id: 'replayWebhookDelivery',
    method: 'post',
    path: '/webhooks/deliveries/{id}/replay',
    tag: 'Webhooks',
    summary: 'Send a delivery once more',
    description:
      'At once, under the same `webhook-id` and with the same body. One that has ended gets one attempt; one that is pending ' +
      'goes on with its schedule after it.',
    access: 'key or session',
    parameters: { id: DELIVERY_PARAMETER },
    answers: {
      202: {
        description: 'It is on its way.',
        schema: WebhookDeliveryDetail,
        example: { ...DETAIL, status: 'pending', next_attempt_at: '2026-11-21T03:10:00.000Z' },
      },
    },
    refusals: ['delivery_not_found'],
  },
];
