import type { DeletionReceipt, JobDetail, JobList } from './api-types';
import { readEvents, type StreamEvent } from './event-stream';
import type { Http, HttpRequest } from './http';
import { piecesOf } from './recording';

export interface Asking {
  signal?: AbortSignal | undefined;
}

export interface ListOptions extends Asking {
  /** From 1. */
  page?: number | undefined;
  /** 1 to 100. */
  pageSize?: number | undefined;
  status?: JobDetail['status'] | undefined;
}

export type TranscriptFormat = 'json' | 'txt' | 'srt' | 'vtt';

/** The jobs of the key's account and mode. Every method throws NotFoundError for a job that is not among them. */
export class Jobs {
  constructor(private readonly http: Http) {}

  /** With the words of each segment and their times where `words` is set. */
  get(id: string, { words, signal }: Asking & { words?: boolean | undefined } = {}): Promise<JobDetail> {
    return this.http.json({ ...to('GET', id, words ? '?words=true' : ''), signal });
  }

  /** A page, newest first. */
  list({ page, pageSize, status, signal }: ListOptions = {}): Promise<JobList> {
    const query = new URLSearchParams();
    if (page !== undefined) query.set('page', String(page));
    if (pageSize !== undefined) query.set('page_size', String(pageSize));
    if (status !== undefined) query.set('status', status);
    return this.http.json({ method: 'GET', path: `/jobs?${query.toString()}`, signal, repeatable: true });
  }

  /** Cancels an unfinished job, for which nothing is charged; erases a finished one. */
  delete(id: string, { signal }: Asking = {}): Promise<DeletionReceipt> {
    return this.http.json({ ...to('DELETE', id), signal });
  }

  /** What was deleted of a job, when and at whose request; kept for ever. */
  deletion(id: string, { signal }: Asking = {}): Promise<DeletionReceipt> {
    return this.http.json({ ...to('GET', id, '/deletion'), signal });
  }

  /** The text as a file: everything with times, plain text, or subtitles. */
  async transcript(id: string, format: TranscriptFormat = 'txt', { signal }: Asking = {}): Promise<string> {
    const response = await this.http.send({ ...to('GET', id, `/transcript?format=${format}`), signal });
    return response.text();
  }

  /** Names speakers, such as `{ 'Speaker 1': 'Katie' }`; those that are not named lose their names. */
  rename(id: string, speakerNames: Record<string, string>, { signal }: Asking = {}): Promise<JobDetail> {
    return this.http.json({ ...to('PATCH', id), ...jsonBody({ speaker_names: speakerNames }), signal });
  }

  /** Has the speakers told apart again, as another number of them; null for a number that is to be found. */
  rediarize(id: string, speakers: number | null, { signal }: Asking = {}): Promise<JobDetail> {
    const request = { ...to('POST', id, '/diarization'), ...jsonBody({ num_speakers: speakers }) };
    // Asked for twice it would be refused the second time, because it is under way.
    return this.http.json({ ...request, repeatable: false, signal });
  }

  /**
   * What the service says of the job as it goes on, until it ends or the connection does. It goes on after the event that
   * `lastEventId` names.
   */
  async *events(
    id: string,
    { lastEventId, signal }: Asking & { lastEventId?: string | undefined } = {},
  ): AsyncGenerator<StreamEvent> {
    const response = await this.http.send({
      ...to('GET', id, '/events'),
      headers: {
        Accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      },
      unlimitedTime: true,
      once: true,
      signal,
    });
    if (response.body) yield* readEvents(piecesOf(response.body));
  }
}

function to(method: HttpRequest['method'], id: string, rest = ''): HttpRequest {
  return { method, path: `/jobs/${encodeURIComponent(id)}${rest}`, repeatable: true };
}

function jsonBody(value: unknown): Pick<HttpRequest, 'body'> {
  return { body: () => ({ body: JSON.stringify(value), headers: { 'Content-Type': 'application/json' } }) };
}
