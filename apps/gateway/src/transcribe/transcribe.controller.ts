import type { Owner, SubmissionReceipt } from '@currawong/contracts';
import { crashPoint } from '@currawong/telemetry';
import { Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { Caller, CallerGuard, CallerKeyId } from '../http/caller';
import { parse } from '../http/parse';
import { versioned } from '../http/versioned';
import type { AcceptedLanguages } from '../languages/languages';
import { transcribeFields } from './fields';
import { Intake, type SubmissionForm, type Wanted } from './intake';
import { timeReceipt } from './metrics';

@Controller(versioned('transcribe'))
@UseGuards(CallerGuard)
export class TranscribeController {
  constructor(private readonly intake: Intake) {}

  @Post()
  @HttpCode(200)
  async transcribe(
    @Caller() caller: Owner,
    @CallerKeyId() keyId: string | null,
    @Req() request: Request,
  ): Promise<SubmissionReceipt> {
    if (request.res) timeReceipt(request, request.res);
    const { jobId } = await this.intake.accept(caller, keyId, request, formFor);
    crashPoint('receipt.accepted');
    return {
      job_id: jobId,
      status: 'processing',
      message: `Your recording was accepted. To follow it, poll GET /api/v1/jobs/${jobId}`,
    };
  }
}

function formFor(accepted: AcceptedLanguages): SubmissionForm<{ wanted: Wanted }> {
  const fields = transcribeFields(accepted);
  return {
    names: Object.keys(fields.shape),
    byReference: true,
    read: (sent) => ({ wanted: parse(fields, sent) }),
  };
}
