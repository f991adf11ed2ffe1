import type { SubmissionReceipt } from '@currawong/contracts';
import {
  type Answer,
  apiUrl,
  readProblem,
  requestHeaders,
  sessionIsRenewed,
  UNREACHABLE,
} from '../api/client';
import type { UploadOptions } from './queue';

const PATH = '/transcribe';

/** Sends one recording; once more where only the session's token had become another. */
export async function sendFile(...sent: Parameters<typeof sendOnce>): Promise<Answer<SubmissionReceipt>> {
  const answer = await sendOnce(...sent);
  const again = !answer.ok && answer.problem.status === 403 && (await sessionIsRenewed());
  return again ? sendOnce(...sent) : answer;
}

/** By XMLHttpRequest, because fetch does not tell how much has been sent. */
function sendOnce(
  file: File,
  options: UploadOptions,
  idempotencyKey: string,
  onProgress: (sentBytes: number) => void,
  signal: AbortSignal,
): Promise<Answer<SubmissionReceipt>> {
  const form = new FormData();
  form.set('language', options.language);
  if (options.speakers !== '') form.set('num_speakers', options.speakers);
  if (options.analysis) form.set('analysis', 'sentiment');
  if (options.prompt.trim() !== '') form.set('prompt', options.prompt);
  form.set('file', file);

  const request = new XMLHttpRequest();
  return new Promise((resolve) => {
    const fail = () => resolve({ ok: false, problem: UNREACHABLE });
    // What is around the file in the body counts as well, so the last bytes may seem to be more than there are.
    request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, file.size));
    request.onload = () => resolve(answerOf(request));
    request.onerror = fail;
    request.onabort = fail;
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.open('POST', apiUrl(PATH));
    for (const [name, value] of Object.entries(requestHeaders('POST', options.mode)))
      request.setRequestHeader(name, value);
    request.setRequestHeader('Idempotency-Key', idempotencyKey);
    request.send(form);
  });
}

function answerOf(request: XMLHttpRequest): Answer<SubmissionReceipt> {
  const { status, responseText } = request;
  if (status !== 200) {
    const problem = readProblem(PATH, status, responseText, (name) => request.getResponseHeader(name));
    return { ok: false, problem };
  }
  try {
    return { ok: true, value: JSON.parse(responseText) as SubmissionReceipt };
  } catch {
    return { ok: false, problem: UNREACHABLE };
  }
}
