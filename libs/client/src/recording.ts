import { CurrawongError } from './errors';

/** The path of a file (in Node), or what a browser gives: a File or another Blob, which needs a name with its extension. */
export type Recording = string | File | { data: Blob; name: string };

/** Bytes that can be read again for another attempt. */
export interface RecordingSource {
  name: string;
  sizeBytes: number;
  open(): AsyncIterable<Uint8Array>;
  /** Where it is one already. */
  blob?: Blob;
}

export const isNode = typeof process !== 'undefined' && typeof process.getBuiltinModule === 'function';

/** @throws CurrawongError where there is no such file */
export function sourceOf(recording: Recording): RecordingSource {
  if (typeof recording === 'string') return fileAt(recording);
  const [blob, name] =
    recording instanceof Blob ? [recording, recording.name] : [recording.data, recording.name];
  return {
    name,
    sizeBytes: blob.size,
    open: () => piecesOf(blob.stream()),
    blob,
  };
}

function fileAt(path: string): RecordingSource {
  // Looked for at run time, so that nothing of Node is in what a bundler makes for browsers.
  if (!isNode) throw new CurrawongError('Here a recording is a File or a Blob, not a path.');
  const fs = process.getBuiltinModule('node:fs');
  const { basename } = process.getBuiltinModule('node:path');
  const found = fs.statSync(path, { throwIfNoEntry: false });
  if (!found) throw new CurrawongError(`There is no file ${path}.`);
  if (!found.isFile()) throw new CurrawongError(`${path} is not a file.`);
  const sizeBytes = found.size;
  return {
    name: basename(path),
    sizeBytes,
    // Not beyond what was announced, should somebody be writing to it.
    open: () => (sizeBytes === 0 ? emptiness() : fs.createReadStream(path, { end: sizeBytes - 1 })),
  };
}

/** Not every browser has streams that can be iterated. */
export async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function* emptiness(): AsyncGenerator<Uint8Array> {}
