import type { KeyMode } from '@currawong/contracts';
import type { Problem } from '../api/client';

/** What the API is asked for with each recording; an empty speaker count leaves it to the API. */
export interface UploadOptions {
  language: string;
  speakers: string;
  /** Whether tone and sentiment are wanted. */
  analysis: boolean;
  prompt: string;
  mode: KeyMode;
}

export interface Upload {
  id: number;
  file: { readonly name: string; readonly size: number };
  options: UploadOptions;
  /** `refused` is what the API or this page said no to; it can be tried again or put away. */
  state: 'waiting' | 'sending' | 'accepted' | 'refused';
  sentBytes: number;
  jobId: string | null;
  problem: Problem | null;
}

export interface UploadQueue {
  uploads: readonly Upload[];
  /** After a rate limit nothing is begun before this time, in milliseconds of the clock; 0: at once. */
  restsUntilMs: number;
}

export type UploadEvent =
  | { type: 'added'; uploads: readonly Pick<Upload, 'id' | 'file' | 'options' | 'problem'>[] }
  | { type: 'begun'; id: number }
  | { type: 'progressed'; id: number; sentBytes: number }
  | { type: 'accepted'; id: number; jobId: string }
  | { type: 'refused'; id: number; problem: Problem; atMs: number }
  | { type: 'tried_again'; id: number }
  | { type: 'put_away'; id: number }
  | { type: 'cleared' };

export const EMPTY_QUEUE: UploadQueue = { uploads: [], restsUntilMs: 0 };
/** More would only share the same line. */
const AT_ONCE = 2;
const USUAL_REST_SECONDS = 15;

/** The one place where uploads change. Pure: time comes with the event. */
export function changed(queue: UploadQueue, event: UploadEvent): UploadQueue {
  switch (event.type) {
    case 'added':
      return { ...queue, uploads: [...queue.uploads, ...event.uploads.map(newUpload)] };
    case 'begun':
      return update(queue, event.id, { state: 'sending', sentBytes: 0, problem: null });
    case 'progressed':
      return update(queue, event.id, { sentBytes: event.sentBytes });
    case 'accepted':
      return update(queue, event.id, { state: 'accepted', jobId: event.jobId });
    case 'refused':
      return refused(queue, event);
    case 'tried_again':
      return update(queue, event.id, { state: 'waiting', problem: null, sentBytes: 0 });
    case 'put_away':
      return { ...queue, uploads: queue.uploads.filter(({ id }) => id !== event.id) };
    case 'cleared':
      return { ...queue, uploads: queue.uploads.filter(isUnfinished) };
  }
}

/** The upload that may begin now, in the order in which they were added. */
export function nextToBegin(queue: UploadQueue, nowMs: number): Upload | undefined {
  if (nowMs < queue.restsUntilMs) return undefined;
  if (queue.uploads.filter(({ state }) => state === 'sending').length >= AT_ONCE) return undefined;
  return queue.uploads.find(({ state }) => state === 'waiting');
}

export function isUnfinished({ state }: Upload): boolean {
  return state === 'waiting' || state === 'sending';
}

/** A rate limit is no refusal of this recording: it waits for its turn, and so do all others. */
function refused(queue: UploadQueue, event: Extract<UploadEvent, { type: 'refused' }>): UploadQueue {
  const { id, problem, atMs } = event;
  if (problem.status !== 429) return update(queue, id, { state: 'refused', problem });
  const restMs = (problem.retryAfterSeconds ?? USUAL_REST_SECONDS) * 1000;
  return {
    ...update(queue, id, { state: 'waiting', sentBytes: 0 }),
    restsUntilMs: Math.max(queue.restsUntilMs, atMs + restMs),
  };
}

function newUpload(added: Pick<Upload, 'id' | 'file' | 'options' | 'problem'>): Upload {
  return { ...added, state: added.problem ? 'refused' : 'waiting', sentBytes: 0, jobId: null };
}

function update(queue: UploadQueue, id: number, change: Partial<Upload>): UploadQueue {
  return {
    ...queue,
    uploads: queue.uploads.map((upload) => (upload.id === id ? { ...upload, ...change } : upload)),
  };
}
