import type { JobView } from '@currawong/contracts';
import { listItem } from '../job-body';
import { hasEnded } from './following';

/**
 * What an event says, in a form that a client sends back as `Last-Event-ID`: the status, the progress in thousandths and
 * the place in the queue (0 for none), as `processing.412.0`. Any gateway knows by it what the client has seen.
 */
export type EventId = string;

export function eventIdOf({ status, progress, queue_position }: JobView): EventId {
  return `${status}.${Math.floor(progress * 1000)}.${queue_position ?? 0}`;
}

/** @param sent by a client: may be anything */
export function statusIn(sent: string | undefined): string | undefined {
  return /^([a-z]+)\.\d{1,4}\.\d{1,9}$/.exec(sent ?? '')?.[1];
}

/** Whether a client that has seen this has seen the end, so that there is nothing more to come. */
export function hasSeenEnd(view: JobView, lastSeen: string | undefined): boolean {
  return hasEnded(view) && statusIn(lastSeen) === view.status;
}

/**
 * The event by which a client that has seen `lastSeen` learns how the job stands now; undefined where it knows.
 * `status` where that is another one, else `progress`.
 */
export function eventFor(
  view: JobView,
  lastSeen: string | undefined,
): { id: EventId; text: string } | undefined {
  const id = eventIdOf(view);
  if (id === lastSeen) return undefined;
  const kind = statusIn(lastSeen) === view.status ? 'progress' : 'status';
  return { id, text: `id: ${id}\n${asText(kind, listItem(view))}` };
}

/** An event without an id: one that a client must not take for something that it has seen of the job. */
export function asText(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
