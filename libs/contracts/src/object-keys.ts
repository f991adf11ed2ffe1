/**
 * Where things lie in the bucket. Keys carry the attempt that wrote them, so that a worker whose lease ran out can
 * finish late without overwriting what its successor wrote.
 */
export const objectKeys = {
  source: (accountId: string, jobId: string) => `audio/${accountId}/${jobId}/source`,
  sourcePrefix: (accountId: string, jobId: string) => `audio/${accountId}/${jobId}/`,
  /** All that is derived while a job is worked on; deleted when it ends. */
  workPrefix: (jobId: string) => `work/${jobId}/`,
  chunkAudio: (jobId: string, index: number, attempt: number) =>
    `work/${jobId}/chunks/${index}-${attempt}.pcm`,
  recognizedWords: (jobId: string, index: number, attempt: number) =>
    `work/${jobId}/recognized/${index}-${attempt}.json`,
  chunkVoices: (jobId: string, index: number, attempt: number) =>
    `work/${jobId}/recognized/${index}-${attempt}.voices`,
  /** What the release before this one kept for telling voices apart; read, never written. */
  chunkFeatures: (jobId: string, index: number, attempt: number) =>
    `work/${jobId}/recognized/${index}-${attempt}.features`,
  resultPrefix: (jobId: string) => `results/${jobId}/`,
  result: (jobId: string, itemId: string, attempt: number) => `results/${jobId}/${itemId}-${attempt}.json`,
  /** What the voices of the whole recording are like. Personal data: it goes with the recording. */
  resultVoices: (jobId: string, itemId: string, attempt: number) =>
    `results/${jobId}/${itemId}-${attempt}.voices`,
};
