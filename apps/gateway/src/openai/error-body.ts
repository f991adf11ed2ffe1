/** An error in the form that OpenAI's SDKs read: it is what they put into their exceptions. */
export interface OpenAiError {
  message: string;
  type: string;
  /** The field that the message is about. */
  param: string | null;
  code: string | null;
}

const KINDS: Record<number, Pick<OpenAiError, 'type' | 'code'>> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  402: { type: 'insufficient_quota', code: 'insufficient_quota' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
};

/** @param code ours, where OpenAI has none of its own */
export function openAiError(status: number, detail: string, code: string | null): OpenAiError {
  const kind = KINDS[status] ?? { type: status >= 500 ? 'server_error' : 'invalid_request_error', code };
  // Our sentences about a field begin with its name.
  const param = status === 400 ? (/^([a-z_]+(?:\[\])?): /.exec(detail)?.[1] ?? null) : null;
  return { message: detail, ...kind, param };
}
