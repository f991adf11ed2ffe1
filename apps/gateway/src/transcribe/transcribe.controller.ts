import type { Owner, SubmissionReceipt } from '@currawong/contracts';
import { Controller, HttpCode, Inject, Post, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { Caller, CallerGuard, CallerKeyId } from '../http/caller';
import { parse } from '../http/parse';
import { RefusalException, valueOf } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { Languages } from '../languages/languages';
import { transcribeFields } from './fields';
import { timeReceipt } from './metrics';
import { Submissions, type Upload } from './submissions';
import { receiveUpload } from './upload/receive-upload';

@Controller(versioned('transcribe'))
@UseGuards(CallerGuard)
export class TranscribeController {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly submissions: Submissions,
    private readonly languages: Languages,
  ) {}

  @Post()
  @HttpCode(200)
  async transcribe(
    @Caller() caller: Owner,
    @CallerKeyId() keyId: string | null,
    @Req() request: Request,
  ): Promise<SubmissionReceipt> {
    if (request.res) timeReceipt(request, request.res);
    let upload: Upload | undefined;
    let breakdown: 'upload_failed' | 'submission_failed' = 'upload_failed';
    try {
      const fields = transcribeFields(await this.languages.accepted());
      const received = await receiveUpload(request, {
        maxFileBytes: this.config.MAX_FILE_BYTES,
        fieldNames: Object.keys(fields.shape),
        minBytesPerSecond: this.config.MIN_UPLOAD_BYTES_PER_SECOND,
        store: async (body, file) => {
          upload = await this.submissions.open(caller, keyId, file.filename);
          return upload.store(body, file);
        },
      });
      if (!received.ok) throw new RefusalException(received.refusal);
      breakdown = 'submission_failed';
      const wanted = parse(fields, received.fields);
      const job = valueOf(await upload!.submit({ size_bytes: received.sizeBytes, ...wanted }));
      return {
        job_id: job.job_id,
        status: 'processing',
        message: `Your recording was accepted. To follow it, poll GET /api/v1/jobs/${job.job_id}`,
      };
    } catch (error) {
      // After anything but a 200 nothing is left behind.
      await upload?.discard();
      throw error instanceof RefusalException ? error : RefusalException.of(breakdown, undefined, error);
    }
  }
}
