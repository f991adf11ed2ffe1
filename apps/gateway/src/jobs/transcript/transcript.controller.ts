import { GetJob, type Owner, type TranscriptFormat } from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Controller, Get, Param, Query, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { Caller, CallerGuard } from '../../http/caller';
import { parse } from '../../http/parse';
import { RefusalException, valueOf } from '../../http/refusal.exception';
import { versioned } from '../../http/versioned';
import { contentDisposition } from '../content-disposition';
import { detail } from '../job-body';
import { jobIdFrom } from '../job-id';
import { TranscriptQuery } from '../job-query';
import { Transcripts } from '../transcripts';
import { unlessGone } from '../unless-gone';
import { asPlainText, asSubRip, asWebVtt, type TextFormat } from './formats';

const contentTypes: Record<TranscriptFormat, string> = {
  json: 'application/json; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
};
const textFormats: Record<Exclude<TranscriptFormat, 'json'>, TextFormat> = {
  txt: asPlainText,
  srt: asSubRip,
  vtt: asWebVtt,
};

/** What was said, as a file to keep. */
@Controller(versioned('jobs'))
@UseGuards(CallerGuard)
export class TranscriptController {
  constructor(
    private readonly requester: Requester,
    private readonly transcripts: Transcripts,
  ) {}

  @Get(':id/transcript')
  async transcript(
    @Caller() caller: Owner,
    @Param('id') id: string,
    @Query() query: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const { format } = parse(TranscriptQuery, query);
    const job = valueOf(await this.requester.ask(GetJob, { ...caller, job_id: jobIdFrom(id) }));
    if (job.result_key === null) throw RefusalException.of('transcript_not_ready');
    const reading = this.transcripts.readWhole(job.result_key);
    const document = await unlessGone(this.requester, caller, job.id, reading);
    const filename = `${baseNameOf(job.original_filename)}.${format}`;
    response.set({
      'Content-Type': contentTypes[format],
      'Content-Disposition': contentDisposition('attachment', filename),
      'X-Content-Type-Options': 'nosniff',
    });
    response.send(
      format === 'json'
        ? JSON.stringify(detail(job, document))
        : textFormats[format](document.segments, job.speaker_names),
    );
  }
}

/** The recording's name without its extension. */
function baseNameOf(filename: string): string {
  return filename.replace(/\.[^.]{1,10}$/, '') || 'transcript';
}
