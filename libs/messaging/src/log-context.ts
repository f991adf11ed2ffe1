/** Every log line written while a message is handled names its job, whichever way the contract spells it. */
export function logContextOf(payload: unknown): Record<string, string> {
  if (typeof payload !== 'object' || payload === null) return {};
  const { job_id, jobId } = payload as { job_id?: unknown; jobId?: unknown };
  const id = job_id ?? jobId;
  return typeof id === 'string' ? { job_id: id } : {};
}
