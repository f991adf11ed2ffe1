import type { SubmissionReceipt } from '@currawong/contracts';
import type { Answer } from '../api/client';
import {
  changed,
  EMPTY_QUEUE,
  isUnfinished,
  nextToBegin,
  type UploadEvent,
  type UploadOptions,
  type UploadQueue,
} from './queue';

export interface Uploads {
  subscribe(listener: () => void): () => void;
  queue(): UploadQueue;
  /** Queues files with the same options; what is plainly wrong with one is kept beside it instead of sending it. */
  add(files: readonly File[], options: UploadOptions): void;
  tryAgain(id: number): void;
  /** Ends the upload, if it is under way, and takes it off the list. */
  putAway(id: number): void;
  /** Takes what has ended off the list. */
  clear(): void;
  /** Ends everything: nobody is signed in any more. */
  close(): void;
}

interface Outside {
  send(
    file: File,
    options: UploadOptions,
    /** The same whenever the same recording is sent again: where only the answer was lost, no second job is made. */
    idempotencyKey: string,
    onProgress: (sentBytes: number) => void,
    signal: AbortSignal,
  ): Promise<Answer<SubmissionReceipt>>;
  wrongWith(file: File): string | undefined;
  onAccepted(file: File): void;
  onRefused(file: File, detail: string): void;
}

/** Sends the queue, a few at a time, and rests when the API asks for it. */
export function createUploads({ send, wrongWith, onAccepted, onRefused }: Outside): Uploads {
  let queue: UploadQueue = EMPTY_QUEUE;
  let lastId = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const files = new Map<number, { file: File; idempotencyKey: string }>();
  const underWay = new Map<number, AbortController>();

  function become(event: UploadEvent): void {
    queue = changed(queue, event);
    for (const listener of listeners) listener();
  }

  function goOn(): void {
    for (let next = nextToBegin(queue, Date.now()); next; next = nextToBegin(queue, Date.now()))
      void begin(next.id, next.options);
    clearTimeout(timer);
    const restMs = queue.restsUntilMs - Date.now();
    if (restMs > 0 && queue.uploads.some(isUnfinished)) timer = setTimeout(goOn, restMs);
  }

  async function begin(id: number, options: UploadOptions): Promise<void> {
    const { file, idempotencyKey } = files.get(id)!;
    const controller = new AbortController();
    underWay.set(id, controller);
    become({ type: 'begun', id });
    const onProgress = (sentBytes: number) => become({ type: 'progressed', id, sentBytes });
    const answer = await send(file, options, idempotencyKey, onProgress, controller.signal);
    underWay.delete(id);
    if (controller.signal.aborted) return goOn();
    if (answer.ok) {
      become({ type: 'accepted', id, jobId: answer.value.job_id });
      onAccepted(file);
    } else {
      become({ type: 'refused', id, problem: answer.problem, atMs: Date.now() });
      if (answer.problem.status !== 429) onRefused(file, answer.problem.detail);
    }
    goOn();
  }

  function end(id: number): void {
    underWay.get(id)?.abort();
    files.delete(id);
  }

  return {
    queue: () => queue,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    add(chosen, options) {
      const uploads = chosen.map((file) => {
        const wrong = wrongWith(file);
        const id = ++lastId;
        files.set(id, { file, idempotencyKey: newKey() });
        if (wrong) onRefused(file, wrong);
        return {
          ...{ id, file: { name: file.name, size: file.size }, options },
          problem: wrong ? { status: 400, detail: wrong, retryAfterSeconds: null } : null,
        };
      });
      become({ type: 'added', uploads });
      goOn();
    },
    tryAgain(id) {
      become({ type: 'tried_again', id });
      goOn();
    },
    putAway(id) {
      end(id);
      become({ type: 'put_away', id });
      goOn();
    },
    clear: () => become({ type: 'cleared' }),
    close() {
      clearTimeout(timer);
      for (const { id } of queue.uploads) {
        end(id);
        become({ type: 'put_away', id });
      }
    },
  };
}

/** Not `crypto.randomUUID`: browsers have that only where the page came over https. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
