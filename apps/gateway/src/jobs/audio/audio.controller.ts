import { LocateAudio, type Owner } from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { ObjectNotFound, ObjectStore, type ByteRange } from '@currawong/object-store';
import { Controller, Get, Logger, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Caller, CallerGuard } from '../../http/caller';
import { RefusalException, valueOf } from '../../http/refusal.exception';
import { versioned } from '../../http/versioned';
import { contentDisposition } from '../content-disposition';
import { jobIdFrom } from '../job-id';
import { byteRangeOf } from './byte-range';
import { OpenRecordings } from './open-recordings';
import { passOn } from './pass-on';

/** Less than any recording needs to be heard as it comes. */
const LEAST_PACE = { minBytesPerSecond: 1_000, windowSeconds: 60 };

/** The recording itself, for a player: whole or any one range of it, passed on as it comes from the store. */
@Controller(versioned('jobs'))
@UseGuards(CallerGuard)
export class AudioController {
  private readonly log = new Logger(AudioController.name);

  constructor(
    private readonly requester: Requester,
    private readonly store: ObjectStore,
    private readonly open: OpenRecordings,
  ) {}

  @Get(':id/audio')
  async audio(
    @Caller() caller: Owner,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { source_key, original_filename } = valueOf(
      await this.requester.ask(LocateAudio, { ...caller, job_id: jobIdFrom(id) }),
    );
    // The type is the one that the leading bytes showed when the recording was stored; its name may say another.
    const { sizeBytes, contentType, etag } = await this.store.stat(source_key).catch(notKept);
    const tag = `"${etag.replaceAll('"', '')}"`;
    response.set({
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, no-store',
      ETag: tag,
      'X-Content-Type-Options': 'nosniff',
    });
    const isSame = request.headers['if-range'] === undefined || request.headers['if-range'] === tag;
    const range = byteRangeOf(isSame ? request.headers.range : undefined, sizeBytes);
    if (range === 'unsatisfiable') {
      response.set('Content-Range', `bytes */${sizeBytes}`);
      throw RefusalException.of('range_not_satisfiable', `The recording has ${sizeBytes} bytes.`);
    }
    const { start, end } = range === 'whole' ? { start: 0, end: sizeBytes } : range;
    const begin = () =>
      response.status(range === 'whole' ? 200 : 206).set({
        'Content-Type': contentType,
        'Content-Length': String(end - start),
        'Content-Disposition': contentDisposition('inline', original_filename),
        ...(range === 'whole' ? {} : { 'Content-Range': `bytes ${start}-${end - 1}/${sizeBytes}` }),
      });
    if (request.method === 'HEAD') {
      begin().end();
      return;
    }
    const leave = this.open.enter(caller.account_id);
    try {
      await this.send(source_key, { start, end }, response, begin);
    } finally {
      leave();
    }
  }

  /** @param begin sets the headers, as soon as it is sure that there is something to send */
  private async send(
    key: string,
    range: Required<ByteRange>,
    response: Response,
    begin: () => void,
  ): Promise<void> {
    if (response.destroyed) return;
    const left = new AbortController();
    const leave = () => left.abort(new Error('the client left'));
    response.once('close', leave);
    try {
      const body = await this.store.get(key, range, left.signal).catch(notKept);
      begin();
      await passOn(body, response, LEAST_PACE);
    } catch (error) {
      if (left.signal.aborted && !response.writableFinished) return;
      if (!response.headersSent) throw error;
      // Too late for a status: the client sees that bytes are missing.
      this.log.warn(`a recording broke off: ${String(error)}`);
      response.destroy();
    } finally {
      response.off('close', leave);
    }
  }
}

function notKept(error: unknown): never {
  throw error instanceof ObjectNotFound ? RefusalException.of('audio_not_found') : error;
}
