import { NewStoreUpload, type Owner, type StoreUpload } from '@currawong/contracts';
import { Controller, HttpCode, Inject, Post, UseGuards } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { Caller, CallerGuard, CallerKeyId } from '../http/caller';
import { JsonBody } from '../http/json-body';
import { RefusalException } from '../http/refusal.exception';
import { versioned } from '../http/versioned';
import { acceptedExtensions, contentTypeOf } from '../transcribe/upload/audio-kind';
import { displayFilename } from '../transcribe/upload/display-filename';
import { StoreUploads } from './store-uploads';

/** Uploads that go to the object store directly: for browsers, and for very large files. */
@Controller(versioned('uploads'))
@UseGuards(CallerGuard)
export class UploadsController {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly uploads: StoreUploads,
  ) {}

  @Post()
  @HttpCode(201)
  open(
    @Caller() caller: Owner,
    @CallerKeyId() keyId: string | null,
    @JsonBody(NewStoreUpload) wanted: NewStoreUpload,
  ): Promise<StoreUpload> {
    const filename = displayFilename(wanted.filename);
    const contentType = contentTypeOf(filename);
    if (contentType === undefined)
      throw RefusalException.of(
        'file_type_unsupported',
        `filename: it must end in one of ${acceptedExtensions.join(' ')}`,
      );
    const { MAX_FILE_BYTES } = this.config;
    if (wanted.size_bytes > MAX_FILE_BYTES)
      throw RefusalException.of(
        'file_too_large',
        `size_bytes: it is more than the ${MAX_FILE_BYTES / 1_000_000} MB that are allowed.`,
      );
    return this.uploads.open(caller, keyId, { filename, contentType, sizeBytes: wanted.size_bytes });
  }
}
