import type { JobView, Owner } from '@currawong/contracts';
import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Caller, CallerGuard, CallerKeyId } from '../http/caller';
import { beginEventStream } from '../http/event-stream';
import { RefusalException } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { EventStreams } from '../jobs/events/event-streams';
import { Following, JobGone } from '../jobs/events/following';
import { Transcripts } from '../jobs/transcripts';
import { Overload } from '../overload/overload';
import { Intake, type Accepted } from '../transcribe/intake';
import { answerIn, eventsIn, type Completed } from './answers';
import { openAiError } from './error-body';
import { transcriptionForm, type AnswerWish } from './form';

type Submitted = Accepted<ReturnType<ReturnType<typeof transcriptionForm>['read']>>;

/** Another gateway is there at once when one is about to stop. */
const RETRY_AFTER_SECONDS = '1';

/** POST /transcribe in OpenAI's words: the same jobs, but the request is held open until the text is there. */
@Controller()
@UseGuards(CallerGuard)
export class TranscriptionsController {
  constructor(
    private readonly intake: Intake,
    private readonly overload: Overload,
    private readonly streams: EventStreams,
    private readonly following: Following,
    private readonly transcripts: Transcripts,
  ) {}

  @Post(versioned('audio/transcriptions'))
  async transcribe(
    @Caller() caller: Owner,
    @CallerKeyId() keyId: string | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { ending, leave } = this.streams.enter(caller.account_id);
    const over = new AbortController();
    const end = () => over.abort();
    ending.addEventListener('abort', end, { once: true });
    response.once('close', end);
    try {
      const submitted = await this.intake.accept(caller, keyId, request, transcriptionForm);
      this.overload.uploadIsOver(response);
      response.set('X-Currawong-Job-Id', submitted.jobId);
      await this.hold(caller, submitted, response, over.signal);
    } finally {
      leave();
    }
  }

  /** Answers when the job has ended. Whatever keeps the text from the client undoes the job: nobody pays for silence. */
  private async hold(
    caller: Owner,
    submitted: Submitted,
    response: Response,
    over: AbortSignal,
  ): Promise<void> {
    const { jobId, wish, discard } = submitted;
    const stopBeating = wish.stream ? beginEventStream(response) : () => undefined;
    try {
      const job = await this.following.ended(caller, jobId, over);
      if (job.status === 'failed') throw failureOf(job);
      const completed = { job, document: await this.transcripts.readWhole(job.result_key!) };
      stopBeating();
      give(wish, completed, response);
    } catch (error) {
      stopBeating();
      // An equal request that was told of it keeps it, and so does its end.
      await discard();
      const reason = over.aborted
        ? stopping()
        : error instanceof JobGone
          ? RefusalException.of('job_not_found')
          : error;
      if (!response.headersSent) throw reason;
      endWithError(response, reason);
    }
  }
}

function give(wish: AnswerWish, completed: Completed, response: Response): void {
  if (wish.stream) {
    for (const event of eventsIn(wish, completed)) response.write(asEvent(event));
    response.end();
    return;
  }
  const { contentType, body } = answerIn(wish, completed);
  response.status(200).set({ 'Content-Type': contentType, 'X-Content-Type-Options': 'nosniff' }).send(body);
}

/** It is too late for a status: the SDKs make an exception of this. */
function endWithError(response: Response, reason: unknown): void {
  const refusal =
    reason instanceof RefusalException ? reason : RefusalException.of('internal', undefined, reason);
  const { code, detail } = refusal.refusal;
  response.end(asEvent({ detail, error: openAiError(refusal.getStatus(), detail, code) }));
}

function asEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function failureOf({ error_message }: JobView): RefusalException {
  return RefusalException.of('job_failed', error_message ?? undefined);
}

/** The process is about to stop, or nobody is there to be told. */
function stopping(): RefusalException {
  const { refusal } = RefusalException.of('unavailable');
  return new RefusalException(refusal, undefined, { 'Retry-After': RETRY_AFTER_SECONDS });
}
