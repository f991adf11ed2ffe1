import { CurrawongError } from './errors';
import type { HttpBody } from './http';
import { isNode, type RecordingSource } from './recording';

export interface UploadProgress {
  sentBytes: number;
  totalBytes: number;
}

/**
 * A form with a recording as the body of a request. In Node it is streamed and never whole in memory, and `onProgress`
 * hears of each piece that was taken. A browser sends the form itself, and `onProgress` hears of nothing.
 */
export function formBody(
  fields: Record<string, string>,
  source: RecordingSource,
  onProgress: ((progress: UploadProgress) => void) | undefined,
): HttpBody {
  if (!isNode && source.blob) return { body: browserForm(fields, source.blob, source.name) };
  const boundary = `currawong-${crypto.randomUUID()}`;
  const head = encode(
    Object.entries(fields)
      .map(
        ([name, value]) =>
          `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      .join('') +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quotable(source.name)}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  );
  const end = encode(`\r\n--${boundary}--\r\n`);
  const totalBytes = source.sizeBytes;
  async function* parts(): AsyncGenerator<Uint8Array> {
    let sentBytes = 0;
    onProgress?.({ sentBytes, totalBytes });
    yield head;
    for await (const piece of source.open()) {
      yield piece;
      // Only now the piece before is gone.
      sentBytes += piece.byteLength;
      onProgress?.({ sentBytes, totalBytes });
    }
    if (sentBytes !== totalBytes) throw new CurrawongError(`${source.name} changed while it was sent.`);
    yield end;
  }
  const body: HttpBody = {
    body: streamOf(parts(), (error) => (body.failure = error)),
    headers: {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': String(head.length + totalBytes + end.length),
    },
  };
  return body;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function streamOf(
  parts: AsyncGenerator<Uint8Array>,
  onFailure: (error: Error) => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const part = await parts.next();
          if (part.done) controller.close();
          else controller.enqueue(part.value);
        } catch (error) {
          onFailure(error as Error);
          throw error;
        }
      },
      async cancel() {
        // Closes the file.
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

function browserForm(fields: Record<string, string>, blob: Blob, name: string): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set('file', blob, name);
  return form;
}

/** As browsers write a name into a header's parameter. */
function quotable(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
