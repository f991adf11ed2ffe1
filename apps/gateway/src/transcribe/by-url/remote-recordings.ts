import { Outbound, OutboundError, type OpenAnswer } from '@currawong/outbound';
import { Inject, Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import { watchPace } from '../../http/client-pace';
import { RefusalException } from '../../http/refusal.exception';
import { contentTypes } from '../upload/audio-kind';
import { FileGate, tooLarge } from '../upload/file-gate';
import type { AcceptedFile } from '../upload/receive-upload';
import { Refused } from '../upload/refusal';
import { remoteFilename } from './remote-filename';

const ANSWER_SECONDS = 30;
const IDLE_SECONDS = 30;
/** What passes the limit is noticed by the gate, which has the better words for it. */
const BEYOND_LIMIT_BYTES = 1_000_000;

export interface FetchOptions<T> {
  /** Ends the download. */
  signal: AbortSignal;
  /** As for an upload: the stream ends only with the whole recording, or is destroyed with an error. */
  store: (content: Readable, file: AcceptedFile) => Promise<T>;
}

export type RemoteConfig = Pick<
  GatewayConfig,
  'MAX_FILE_BYTES' | 'MIN_UPLOAD_BYTES_PER_SECOND' | 'FILE_URL_SECONDS' | 'OUTBOUND_ALLOWED_ADDRESSES'
> & { paceWindowSeconds?: number };

/** Recordings that are fetched from an address that the client gave, by the same rules as those that it sends. */
@Injectable()
export class RemoteRecordings {
  private readonly outbound: Outbound;

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: RemoteConfig) {
    this.outbound = new Outbound({ allowed: config.OUTBOUND_ALLOWED_ADDRESSES });
  }

  /**
   * Settles only when `store` has: after a failure nothing is under way any more.
   * @throws RefusalException 400 that names the field and says what the other side did; what `store` failed with
   */
  async fetch<T>(url: string, options: FetchOptions<T>): Promise<{ sizeBytes: number; stored: T }> {
    try {
      const answer = await this.ask(url, options.signal);
      try {
        return await this.receive(url, answer, options);
      } finally {
        answer.body.on('error', () => undefined).destroy();
      }
    } catch (error) {
      throw refusalOf(error);
    }
  }

  private ask(url: string, signal: AbortSignal): Promise<OpenAnswer> {
    return this.outbound.open(
      {
        ...{ url, method: 'GET', signal },
        headers: { Accept: 'audio/*, video/*;q=0.9, */*;q=0.1', 'Accept-Encoding': 'identity' },
      },
      {
        answerSeconds: ANSWER_SECONDS,
        idleSeconds: IDLE_SECONDS,
        seconds: this.config.FILE_URL_SECONDS,
        maxBytes: this.config.MAX_FILE_BYTES + BEYOND_LIMIT_BYTES,
      },
    );
  }

  private async receive<T>(
    url: string,
    { status, headers, body }: OpenAnswer,
    { store }: FetchOptions<T>,
  ): Promise<{ sizeBytes: number; stored: T }> {
    const { MAX_FILE_BYTES, MIN_UPLOAD_BYTES_PER_SECOND: minBytesPerSecond } = this.config;
    if (status >= 300 && status < 400) throw failed(redirected(status, url, headers['location']));
    if (status !== 200)
      throw failed(`it answered ${status}, not 200. The address must give the recording to anyone who asks.`);
    const filename = remoteFilename(url, headers);
    if (filename === undefined)
      throw RefusalException.of(
        'file_type_unsupported',
        'file_url: neither the end of the address, nor its Content-Disposition, nor its Content-Type says that it is a recording of a supported type.',
      );
    const announcedBytes = Number(headers['content-length'] ?? 0) || 0;
    if (announcedBytes > MAX_FILE_BYTES) throw tooLarge(MAX_FILE_BYTES);
    let stored: Promise<T> | undefined;
    const gate = new FileGate(MAX_FILE_BYTES, (kind) => {
      const file = { filename, contentType: contentTypes[kind], atLeastBytes: announcedBytes };
      stored = (async () => store(gate, file))();
      // A store that let go of the stream says why only once it has cleaned up.
      stored.catch(() => gate.destroy());
    });
    const stopWatch = watchPace(
      { movedBytes: () => gate.sizeBytes, isAwaited: () => !gate.writableNeedDrain },
      { minBytesPerSecond, windowSeconds: this.config.paceWindowSeconds ?? 10 },
      () =>
        body.destroy(
          new Refused(
            'too_slow',
            `file: it came at less than ${minBytesPerSecond} bytes per second and was ended. Try again later, or send the file itself.`,
          ),
        ),
    );
    try {
      await pipeline(body, gate);
      return { sizeBytes: gate.sizeBytes, stored: await stored! };
    } catch (error) {
      gate.on('error', () => undefined).destroy(error as Error);
      const ofStore = await stored?.then(
        () => undefined,
        (failure: unknown) => failure,
      );
      if (error instanceof OutboundError && error.failure === 'unreachable')
        throw failed('the connection ended before all of it had come. Try again.', error);
      throw error instanceof Refused || error instanceof OutboundError ? error : (ofStore ?? error);
    } finally {
      stopWatch();
    }
  }
}

/** The texts for an uploaded file say `file`. */
function refusalOf(error: unknown): unknown {
  if (error instanceof Refused)
    return RefusalException.of(
      error.refusal.code,
      error.refusal.detail.replace(/^file: /, 'file_url: '),
      error,
    );
  if (!(error instanceof OutboundError)) return error;
  if (error.failure === 'aborted') return RefusalException.of('client_gone', undefined, error);
  return error.failure === 'refused'
    ? RefusalException.of('file_url_refused', `file_url: ${error.message}`, error)
    : failed(`${error.message}. Check the address, then try again.`, error);
}

function failed(what: string, cause?: unknown): RefusalException {
  return RefusalException.of(
    'file_url_failed',
    `file_url: the recording could not be fetched: ${what}`,
    cause,
  );
}

/** Of where it leads to only the host is told: the rest is whatever the other side likes to write. */
function redirected(status: number, url: string, location: string | string[] | undefined): string {
  const target =
    typeof location === 'string' && URL.canParse(location, url) ? new URL(location, url) : undefined;
  const isWeb = target?.protocol === 'https:' || target?.protocol === 'http:';
  const where = isWeb && target.host.length <= 253 ? ` (to ${target.host})` : '';
  return `it answered ${status}, a redirect${where}, which is not followed. Send the address that it leads to.`;
}
