import {
  CreditBody,
  DoneBody,
  NewTopUp,
  Statement,
  StatementQuery,
  TopUpBody,
  TopUpList,
  UsageBody,
  UsageBreakdown,
} from '@currawong/contracts';
import { BreakdownQuery } from '../../usage/usage.controller';
import type { Operation, ParameterNote } from '../operation';
import { JOB_ID, KEY_ID, TOP_UP } from './examples';

const MONTH: ParameterNote = {
  description: 'A calendar month in Australia/Sydney; the current one unless given.',
  example: '2026-11',
};
const MONTH_REFUSAL = ['invalid_parameter', 'month: must be a month such as 2026-11'] as const;

const STATEMENT: typeof Statement._output = {
  month: '2026-11',
  period_start: '2026-11-01',
  period_end: '2026-11-30',
  timezone: 'Australia/Sydney',
  currency: 'AUD',
  tax_invoice: true,
  invoice_number: 'CW-2026-11-019ab2f0',
  issued_on: '2026-11-30',
  supplier: { name: 'Currawong', abn: '51 824 753 556', address: '1 Example Street, Sydney NSW 2000' },
  customer: { name: 'Wattle Street Legal', email: 'katie@example.com' },
  opening_balance_aud: '0.000000',
  closing_balance_aud: '24.986667',
  opening_free_seconds: 0,
  closing_free_seconds: 0,
  held_aud: '0.000000',
  totals: {
    topped_up_aud: '25.000000',
    gst_included_aud: '2.27',
    adjusted_aud: '0.000000',
    used_aud: '0.013333',
    audio_seconds: 40,
    jobs: 1,
  },
  lines: [
    {
      id: '17',
      booked_at: '2026-11-21T02:01:12.000Z',
      kind: 'top_up',
      description: 'Top-up by card',
      job_id: null,
      key_id: null,
      audio_seconds: null,
      price_per_minute_aud: null,
      amount_aud: '25.000000',
      gst_aud: '2.27',
      free_seconds: 0,
      balance_after_aud: '25.000000',
      free_seconds_after: 0,
    },
    {
      id: '18',
      booked_at: '2026-11-21T03:04:31.000Z',
      kind: 'job',
      description: 'Transcription',
      job_id: JOB_ID,
      key_id: KEY_ID,
      audio_seconds: 40,
      price_per_minute_aud: '0.020000',
      amount_aud: '-0.013333',
      gst_aud: null,
      free_seconds: 0,
      balance_after_aud: '24.986667',
      free_seconds_after: 0,
    },
  ],
  next_after: null,
};

export const MONEY_OPERATIONS: Operation[] = [
  {
    id: 'getUsage',
    method: 'get',
    path: '/usage',
    tag: 'Money',
    summary: 'Get the usage of this month',
    description: 'The calendar month in Australia/Sydney. A 200 here shows that a key is valid.',
    access: 'key or session',
    answers: {
      200: {
        description: 'The usage; `balance_aud` is what can still be spent.',
        schema: UsageBody,
        example: {
          billing_period_start: '2026-11-01',
          billing_period_end: '2026-11-30',
          included_minutes: 0,
          minutes_used: 40 / 60,
          minutes_remaining: 0,
          plan_name: 'Pay As You Go',
          balance_aud: 24.986667,
          price_per_minute_aud: 0.02,
        },
      },
    },
  },
  {
    id: 'getUsageBreakdown',
    method: 'get',
    path: '/usage/breakdown',
    tag: 'Money',
    summary: 'Get a month’s usage by day and by key',
    access: 'key or session',
    query: BreakdownQuery,
    parameters: { month: MONTH },
    answers: {
      200: {
        description:
          'Completed live jobs; days are those of Australia/Sydney. `key_id` is null for the dashboard.',
        schema: UsageBreakdown,
        example: {
          month: '2026-11',
          days: [
            { date: '2026-11-01', audio_seconds: 0, jobs: 0, cost_aud: '0.000000' },
            { date: '2026-11-02', audio_seconds: 40, jobs: 1, cost_aud: '0.013333' },
          ],
          keys: [{ key_id: KEY_ID, name: 'production', audio_seconds: 40, jobs: 1, cost_aud: '0.013333' }],
        },
      },
    },
    refusals: [MONTH_REFUSAL],
  },
  {
    id: 'getCredit',
    method: 'get',
    path: '/credit',
    tag: 'Money',
    summary: 'Get the balance',
    description: 'In cents, rounded down for what is there and up for what was used.',
    access: 'key or session',
    answers: {
      200: {
        description: 'The balance; credit that is set aside for unfinished jobs has been taken off.',
        schema: CreditBody,
        example: {
          balance_aud: '24.98',
          price_per_minute_aud: '0.02',
          total_topped_up_aud: '25.00',
          total_used_aud: '0.02',
          estimated_remaining_minutes: 1249,
          free_minutes_remaining: 0,
          price_per_minute_with_analysis_aud: '0.03',
        },
      },
    },
  },
  {
    id: 'getStatement',
    method: 'get',
    path: '/statement',
    tag: 'Money',
    summary: 'Get a month’s statement, a line per job and payment',
    description:
      'As JSON at most 500 lines at a time; `next_after` leads to the next. As CSV all lines of the month, as a file.',
    access: 'key or session',
    query: StatementQuery,
    parameters: {
      month: MONTH,
      format: { description: 'JSON, or a file for a spreadsheet.', example: 'json' },
      after: { description: 'The `next_after` of the page before.', example: '500' },
    },
    answers: {
      200: {
        description: 'The statement. The opening balance plus all amounts is the closing balance, exactly.',
        content: {
          'application/json': { schema: Statement, example: STATEMENT },
          'text/csv': { schema: { type: 'string' } },
        },
      },
    },
    refusals: [MONTH_REFUSAL, ['invalid_parameter', 'format: must be one of json, csv']],
  },
  {
    id: 'listTopUps',
    method: 'get',
    path: '/top-ups',
    tag: 'Money',
    summary: 'List the newest twenty payments by card',
    access: 'session',
    answers: {
      200: {
        description: 'The payments, and whether and how much can be paid here.',
        schema: TopUpList,
        example: { available: true, minimum_aud: '5.00', maximum_aud: '1000.00', top_ups: [TOP_UP] },
      },
    },
  },
  {
    id: 'startTopUp',
    method: 'post',
    path: '/top-ups',
    tag: 'Money',
    summary: 'Begin a payment by card',
    description:
      'Send the customer to `checkout_url`. The credit is there as soon as the payment is confirmed.',
    access: 'session',
    body: { mediaType: 'application/json', schema: NewTopUp, example: { amount_aud: '25.00' } },
    answers: { 201: { description: 'Where to pay.', schema: TopUpBody, example: TOP_UP } },
    refusals: [
      ['body_unreadable', 'Send the body as JSON, with Content-Type: application/json.'],
      ['invalid_parameter', 'amount_aud: must be an amount in AUD such as 25 or 12.50'],
      'payments_unavailable',
    ],
  },
  {
    id: 'takePaymentEvent',
    method: 'post',
    path: '/payment-events',
    tag: 'Money',
    summary: 'Take an event of the payment provider',
    description:
      'For the provider alone. An event that is repeated changes nothing; a 503 asks for it again. A signature that is ' +
      'refused counts as a failed authentication of the address.',
    access: 'payment provider',
    body: { mediaType: 'application/json', schema: { type: 'object' } },
    answers: {
      200: { description: 'Taken.', schema: DoneBody, example: { status: 'handled' } },
    },
    refusals: [
      ['invalid_parameter', 'stripe-signature: must be t=…,v1=… as the payment provider signs'],
      ['body_unreadable', 'The body has more than 100000 bytes.'],
      'too_many_failures',
    ],
  },
];
