import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readBytes } from '../http/read-bytes';
import { readJsonBody } from '../http/json-body';
import { RefusalException } from '../http/refusal.exception';
import { receiveUpload, type ReceivedUpload, type ReceiveOptions } from './upload/receive-upload';

/** As much as fields may have in a multipart body. */
const MAX_FORM_BYTES = 512 * 1024;
const JsonFields = z.record(z.string(), z.unknown());

/**
 * The body of POST /transcribe: a form with a file, or, where the recording is named by one of `insteadOfFile`, any form or
 * JSON. Otherwise as `receiveUpload`. @throws RefusalException 400
 */
export async function readSubmissionBody<T>(
  request: IncomingMessage,
  options: ReceiveOptions<T> & { insteadOfFile: readonly string[] },
): Promise<ReceivedUpload<T>> {
  const sent = await fieldsWithoutFile(request);
  if (!sent) return receiveUpload(request, options);
  const fields: Record<string, string> = {};
  for (const name of options.fieldNames) {
    const value = sent[name];
    if (value !== null && value !== undefined) fields[name] = asText(name, value);
  }
  if (!options.insteadOfFile.some((name) => fields[name] !== undefined))
    throw RefusalException.of(
      'file_missing',
      `file: no file was sent. Send multipart/form-data with one part named "file", or one of ${options.insteadOfFile.join(', ')}.`,
    );
  return { ok: true, fields, sizeBytes: 0, stored: undefined };
}

/** Undefined where the body is, or should be, multipart. */
async function fieldsWithoutFile(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  switch (mediaTypeOf(request)) {
    case 'application/json':
      return readJsonBody(request, JsonFields);
    case 'application/x-www-form-urlencoded':
      return Object.fromEntries(
        new URLSearchParams((await readBytes(request, MAX_FORM_BYTES)).toString('utf8')),
      );
    default:
      return undefined;
  }
}

/** As a form would have sent it: there is one set of rules for the fields. */
function asText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw RefusalException.of('invalid_parameter', `${name}: must be a text or a number`);
}

function mediaTypeOf({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
