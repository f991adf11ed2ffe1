import { ERRORS, type ErrorCode } from '@currawong/contracts';
import type { z } from 'zod';

/** One thing that can be asked, as it is published: what a reader of the code would otherwise gather from five files. */
export interface Operation {
  /** A verb and what it is about: the name of the method in a generated client. */
  id: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As the contract writes it, below its servers: `/jobs/{job_id}`. */
  path: string;
  /** Under which addresses; `versioned` unless said. */
  under?: 'versioned' | 'versioned and root' | 'root';
  tag: Tag;
  summary: string;
  description?: string;
  access: Access;
  /** The schema that the query is read with. */
  query?: z.ZodObject;
  /** What the parameters of path and query mean, by name. */
  parameters?: Record<string, ParameterNote>;
  headers?: Record<string, ParameterNote>;
  body?: Body;
  answers: Record<number, Answer>;
  /** What may be refused besides what every operation of this access may: a code, or a code with a text of its own. */
  refusals?: readonly Refusable[];
  /** How its errors look where that is not `{"detail"}` alone. */
  errors?: ErrorForm;
}

export interface ErrorForm {
  schema: z.ZodType;
  body: (status: number, detail: string, code: ErrorCode) => object;
}

export const TAGS = {
  Transcription: 'Send a recording, follow its job, read the text.',
  Webhooks: 'Be told of the end of a job instead of asking for it.',
  OpenAI:
    'The same for programs that were written for OpenAI’s API: only the base URL and the key are others.',
  Money: 'What was used, what is left, and every line of it.',
  'Service state': 'Whether recordings are accepted now, and what clients of the older service ask.',
  Account: 'What the dashboard uses: sign-up, sign-in, API keys. These take the session cookie, not a key.',
} as const;
export type Tag = keyof typeof TAGS;

export type Access = 'anyone' | 'key or session' | 'key, bearer or session' | 'session' | 'payment provider';

export interface ParameterNote {
  description: string;
  example?: unknown;
  /** Where there is no schema of the query to take it from. */
  schema?: Record<string, unknown>;
  required?: boolean;
}

export interface Body {
  mediaType: string;
  schema: z.ZodType | Record<string, unknown>;
  example?: unknown;
}

export interface Answer {
  description: string;
  /** Of a JSON answer. */
  schema?: z.ZodType;
  example?: unknown;
  /** Of an answer that is not JSON, or that comes in several forms. */
  content?: Record<string, { schema?: z.ZodType | Record<string, unknown>; example?: unknown }>;
  headers?: Record<string, { description: string; schema: Record<string, unknown> }>;
}

export type Refusable = ErrorCode | readonly [code: ErrorCode, detail: string];

/** What any operation may answer: its own refusals, and those that come with who may ask. */
export function refusalsOf({ access, method, refusals = [] }: Operation): readonly Refusable[] {
  return [...refusals, ...ACCESS_REFUSALS[access](method !== 'get'), 'internal', 'unavailable'];
}

const keyOrSession = (changes: boolean): readonly ErrorCode[] => [
  'invalid_api_key',
  'account_inactive',
  ...(changes ? (['cross_site_request'] as const) : []),
  'rate_limited',
  'too_many_failures',
];
const ACCESS_REFUSALS: Record<Access, (changes: boolean) => readonly ErrorCode[]> = {
  anyone: () => ['rate_limited'],
  'key or session': keyOrSession,
  'key, bearer or session': keyOrSession,
  session: (changes) => [
    'sign_in_required',
    'account_inactive',
    ...(changes ? (['cross_site_request'] as const) : []),
    'rate_limited',
    'too_many_failures',
  ],
  'payment provider': () => ['rate_limited'],
};

export function codeOf(refusable: Refusable): ErrorCode {
  return typeof refusable === 'string' ? refusable : refusable[0];
}

export function textOf(refusable: Refusable): string {
  return typeof refusable === 'string' ? ERRORS[refusable].text : refusable[1];
}
