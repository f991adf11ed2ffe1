import { ERRORS, type JobView, type Owner } from '@currawong/contracts';
import { ServiceUnavailable } from '@currawong/messaging';
import { Controller, Get, Headers, Logger, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { once } from 'node:events';
import { Caller, CallerGuard, CallerKeyId } from '../../http/caller';
import { beginEventStream } from '../../http/event-stream';
import { Identities } from '../../http/identity';
import { versioned } from '../../http/versioned';
import { jobIdFrom } from '../job-id';
import { EventStreams } from './event-streams';
import { Following, JobGone } from './following';
import { asText, eventFor, hasSeenEnd } from './job-events';

/** How soon a client comes back that lost its stream. */
const RETRY_MS = 2_000;
/** A revoked key, an ended session or a suspended account follows nothing any more after this. */
const ADMISSION_MS = 3_000;

/** How a job gets on, as it does: Server-Sent Events until it has ended. */
@Controller(versioned('jobs'))
@UseGuards(CallerGuard)
export class EventsController {
  private readonly log = new Logger(EventsController.name);

  constructor(
    private readonly following: Following,
    private readonly streams: EventStreams,
    private readonly identities: Identities,
  ) {}

  @Get(':id/events')
  async events(
    @Caller() caller: Owner,
    @CallerKeyId() keyId: string | null,
    @Param('id') id: string,
    @Headers('last-event-id') lastSeen: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const jobId = jobIdFrom(id);
    const { ending, leave } = this.streams.enter(caller.account_id);
    const over = new AbortController();
    const end = () => over.abort();
    ending.addEventListener('abort', end, { once: true });
    response.once('close', end);
    const admission = setInterval(
      () => void this.endUnlessAdmitted(request, caller, keyId, end),
      ADMISSION_MS,
    );
    const views = this.following.follow(caller, jobId, over.signal);
    try {
      const first = await views.next();
      if (first.done || response.destroyed) return;
      if (hasSeenEnd(first.value, lastSeen)) {
        // By this, and by nothing else, a browser knows that it need not come back.
        response.status(204).end();
        return;
      }
      const stopBeating = beginEventStream(response);
      try {
        if (request.method !== 'HEAD')
          await this.send(first.value, views, lastSeen, jobId, response, over.signal);
      } finally {
        stopBeating();
      }
      response.end();
    } finally {
      clearInterval(admission);
      await views.return();
      leave();
    }
  }

  /** @param first what `views` gave first */
  private async send(
    first: JobView,
    views: AsyncGenerator<JobView, void, void>,
    lastSeen: string | undefined,
    jobId: string,
    response: Response,
    over: AbortSignal,
  ): Promise<void> {
    let seen = lastSeen;
    const tell = async (view: JobView) => {
      const event = eventFor(view, seen);
      if (!event) return;
      seen = event.id;
      if (!response.write(event.text)) await once(response, 'drain', { signal: over });
    };
    try {
      response.write(`retry: ${RETRY_MS}\n\n`);
      await tell(first);
      for await (const view of views) await tell(view);
    } catch (error) {
      // The client left, the process stops or the caller is let in no longer: the stream just ends.
      if (over.aborted) return;
      if (error instanceof JobGone) response.write(asText('deleted', { id: jobId }));
      else {
        if (!(error instanceof ServiceUnavailable))
          this.log.error(error instanceof Error ? error : String(error));
        response.write(asText('unavailable', { detail: ERRORS.unavailable.text }));
      }
    }
  }

  /** Where it cannot be looked up now, nothing is known against them. */
  private async endUnlessAdmitted(
    request: Request,
    caller: Owner,
    keyId: string | null,
    end: () => void,
  ): Promise<void> {
    const identity = await this.identities.again(request).catch(() => undefined);
    if (!identity) return;
    const isStill =
      identity.kind === 'key'
        ? identity.key.keyId === keyId && identity.key.accountState === 'active'
        : identity.kind === 'session' &&
          keyId === null &&
          identity.session.accountId === caller.account_id &&
          identity.session.accountState === 'active';
    if (!isStill) end();
  }
}
