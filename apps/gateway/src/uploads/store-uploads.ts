import {
  DiscardJob,
  FindStoreUpload,
  OpenStoreUpload,
  type Owner,
  type StoreUpload,
} from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { ObjectNotFound, ObjectStore, type ClientPart } from '@currawong/object-store';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { isUuid } from '../http/is-uuid';
import { RefusalException, valueOf } from '../http/refusal.exception';
import { audioKindOf, sniffedBytes, type AudioKind } from '../transcribe/upload/audio-kind';
import { partPlan } from './part-plan';

/** So many missing parts are named; whoever lacks more has to look for himself. */
const NAMED_PARTS = 20;

/** Recordings that clients put into the store themselves, part by part, and then submit by their id. */
@Injectable()
export class StoreUploads {
  constructor(
    private readonly requester: Requester,
    private readonly objects: ObjectStore,
  ) {}

  async open(
    caller: Owner,
    keyId: string | null,
    file: { filename: string; contentType: string; sizeBytes: number },
  ): Promise<StoreUpload> {
    const upload_id = uuidv7();
    const opened = valueOf(
      await this.requester.ask(
        OpenStoreUpload,
        {
          ...{ ...caller, job_id: upload_id, key_id: keyId, original_filename: file.filename },
          ...{ content_type: file.contentType, size_bytes: file.sizeBytes },
        },
        { deadlineMs: 25_000 },
      ),
    );
    const { partBytes, parts } = partPlan(file.sizeBytes);
    const seconds = Math.max(1, Math.floor((Date.parse(opened.expires_at) - Date.now()) / 1_000));
    const urls = await this.objects.presignParts(opened.source_key, opened.store_upload_id, parts, seconds);
    return {
      upload_id,
      part_size_bytes: partBytes,
      parts: parts.map(({ number, sizeBytes }, index) => ({
        part_number: number,
        size_bytes: sizeBytes,
        url: urls[index]!,
      })),
      expires_at: opened.expires_at,
    };
  }

  /**
   * Makes one recording of the parts and looks at it as at any that is sent. May be asked again, also for one that was
   * submitted before.
   * @returns how long it is
   * @throws RefusalException which names `upload_id`; StoreUnavailable
   */
  async finish(caller: Owner, uploadId: string): Promise<{ sizeBytes: number }> {
    if (!isUuid(uploadId)) throw RefusalException.of('upload_not_found');
    const found = valueOf(await this.requester.ask(FindStoreUpload, { ...caller, job_id: uploadId }));
    const { source_key, store_upload_id, size_bytes: sizeBytes } = found;
    if (store_upload_id === null) return { sizeBytes };
    const { parts } = partPlan(sizeBytes);
    try {
      const missing = await this.objects.completeParts(source_key, store_upload_id, parts);
      if (missing.length > 0)
        throw RefusalException.of('upload_incomplete', incomplete(missing, parts.length));
      if (await this.kindOf(source_key, sizeBytes)) return { sizeBytes };
    } catch (error) {
      // Its time is over, or it was cancelled since it was found.
      if (error instanceof ObjectNotFound) throw RefusalException.of('upload_not_found', undefined, error);
      throw error;
    }
    // Its parts cannot be put again.
    await this.requester.ask(DiscardJob, { job_id: uploadId });
    throw RefusalException.of(
      'file_type_unsupported',
      'upload_id: the content is not audio of a supported type. The upload is gone: make another with a recording.',
    );
  }

  private async kindOf(key: string, sizeBytes: number): Promise<AudioKind | undefined> {
    return audioKindOf(
      await this.objects.getBuffer(key, { start: 0, end: Math.min(sizeBytes, sniffedBytes) }),
    );
  }
}

function incomplete(missing: ClientPart[], count: number): string {
  const named = missing.slice(0, NAMED_PARTS).map(({ number }) => number);
  const more = missing.length > named.length ? ` and ${missing.length - named.length} more` : '';
  return `upload_id: ${missing.length} of ${count} parts have not arrived: ${named.join(', ')}${more}. PUT them to their URLs, then submit the upload again.`;
}
