import { Injectable } from '@nestjs/common';
import { RefusalException } from '../http/refusal.exception';

/** Uploads that this process is storing, so that one ends at once whose job is cancelled from elsewhere. */
@Injectable()
export class StoppedUploads {
  private readonly underWay = new Map<string, () => void>();

  /** @returns a function that ends the watch. @param stop ends the upload with what its client is told */
  watch(jobId: string, stop: (reason: RefusalException) => void): () => void {
    this.underWay.set(jobId, () => stop(RefusalException.of('job_cancelled')));
    return () => this.underWay.delete(jobId);
  }

  stop(jobId: string): void {
    this.underWay.get(jobId)?.();
  }
}
