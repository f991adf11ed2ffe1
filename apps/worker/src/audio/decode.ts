import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Downmix } from './downmix';
import { samplesIn, SAMPLES_PER_SECOND } from './pcm';
import { killSandboxed, runSandboxed, type SandboxedProcess } from './sandbox';

export interface DecodeOptions {
  /** The ffmpeg program, as an absolute path: the child gets no environment to look names up in. */
  readonly ffmpegPath: string;
  readonly inputPath: string;
  /** More decoded audio than this is refused as `recording_too_long`, whatever the headers promised. */
  readonly maxSeconds: number;
  /** Decode only the beginning and ignore the rest: what a test key gets. */
  readonly onlyFirstSeconds?: number;
  /** Longest silence of ffmpeg while it is waited for; default 30. */
  readonly stallSeconds?: number;
  /** Longest time spent waiting for ffmpeg altogether, the consumer's own time not counted; default 3600. */
  readonly waitSeconds?: number;
  /** Address space of the child; default 1 GiB. */
  readonly memoryLimitBytes?: number;
  readonly signal?: AbortSignal;
}

export type AudioRefusalCode = 'undecodable_audio' | 'recording_too_long';

/**
 * The recording itself is at fault: trying again gives the same. It travels as an error because an iterable
 * has no other way to end early with a reason; the caller turns it back into a value. Any other error from
 * `decodeToPcm` is a breakdown of ours (no ffmpeg, no file, killed from outside) and worth another attempt.
 */
export class AudioRefused extends Error {
  constructor(
    readonly code: AudioRefusalCode,
    message: string,
  ) {
    super(message);
    this.name = 'AudioRefused';
  }
}

/**
 * Decodes the first audio stream of a file to 16 kHz mono blocks of at most about two seconds, as they come.
 * A damaged or truncated file gives whatever can be decoded. The child is gone when the iteration ends,
 * however it ends.
 * @throws AudioRefused, the signal's reason, or an Error when ffmpeg cannot be run.
 */
export async function* decodeToPcm(options: DecodeOptions): AsyncGenerator<Int16Array, void, void> {
  options.signal?.throwIfAborted();
  await access(options.inputPath);
  const child = new DecodingChild(options);
  const maxSamples = samplesIn(options.maxSeconds);
  const wantedSamples = samplesIn(options.onlyFirstSeconds ?? Infinity);
  let samples = 0;
  try {
    for (;;) {
      const block = await child.nextBlock();
      if (block === undefined) break;
      const kept = block.subarray(0, wantedSamples - samples);
      samples += kept.length;
      if (samples > maxSamples) {
        throw new AudioRefused(
          'recording_too_long',
          `The recording is longer than ${options.maxSeconds} seconds.`,
        );
      }
      if (kept.length > 0) yield kept;
      if (samples >= wantedSamples) return;
    }
    const refusal = child.refusalAtEnd(samples);
    if (refusal) throw refusal;
  } finally {
    child.kill();
  }
}

/**
 * Only what the accepted file types need. Playlists and concat scripts, which make ffmpeg open other files
 * and addresses, are formats of their own and therefore not in this list, whatever a file is called.
 */
const DEMUXERS = ['wav', 'mp3', 'ogg', 'flac', 'mov', 'matroska'];

/** Likewise no decoder that these files have no use for; video decoders are never opened, not even to probe. */
const DECODERS = [
  ...[
    'aac',
    'aac_latm',
    'ac3',
    'alac',
    'eac3',
    'flac',
    'gsm',
    'gsm_ms',
    'libgsm',
    'libgsm_ms',
    'libopus',
    'libspeex',
  ],
  ...['libvorbis', 'mp1', 'mp1float', 'mp2', 'mp2float', 'mp3', 'mp3float', 'opus', 'speex', 'vorbis'],
  ...['adpcm_g722', 'g722', 'g726', 'adpcm_ima_qt', 'adpcm_ima_wav', 'adpcm_ms', 'amrnb', 'amrwb'],
  ...['pcm_alaw', 'pcm_mulaw', 'pcm_u8', 'pcm_s8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be'],
  ...['pcm_s32le', 'pcm_s32be', 'pcm_f32le', 'pcm_f32be', 'pcm_f64le', 'pcm_f64be'],
];

function ffmpegArguments(options: DecodeOptions): string[] {
  return [
    ...['-nostdin', '-hide_banner', '-v', 'error', '-threads', '1'],
    ...['-protocol_whitelist', 'pipe,file'],
    ...['-format_whitelist', DEMUXERS.join(',')],
    ...['-codec_whitelist', DECODERS.join(',')],
    // The explicit scheme keeps a name such as `concat:a|b` or `-x` from being read as anything but a path.
    ...['-i', `file:${resolve(options.inputPath)}`],
    ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1'],
    // One channel or two, as they are; more become two.
    ...['-af', 'aformat=channel_layouts=mono|stereo', '-ar', String(SAMPLES_PER_SECOND)],
    ...['-c:a', 'pcm_s16le', '-fflags', '+bitexact', '-f', 'wav', 'pipe:1'],
  ];
}

class DecodingChild {
  private readonly process: SandboxedProcess;
  private readonly blocks: AsyncIterator<Buffer>;
  private readonly closed: Promise<void>;
  /** Set once there is nothing to wait for any more. */
  private abandoned: { reason: Error } | undefined;
  private onAbandoned: ((reason: Error) => void) | undefined;
  private readonly downmix = new Downmix();
  private isAtEnd = false;
  private complaints = '';
  private waitedMilliseconds = 0;
  private readonly onAbort = () => this.abandon(this.options.signal?.reason as Error);

  constructor(private readonly options: DecodeOptions) {
    this.process = runSandboxed(options.ffmpegPath, ffmpegArguments(options), {
      memoryBytes: options.memoryLimitBytes ?? 2 ** 30,
      // Whoever waits no longer than this for its output needs no more of a processor either.
      cpuSeconds: options.waitSeconds ?? 3600,
    });
    this.closed = new Promise((done) => this.process.once('close', () => done()));
    this.process.once('error', (error) => this.abandon(error));
    this.process.stderr.on('data', (text: Buffer) => {
      if (this.complaints.length < 16_384) this.complaints += text.toString();
    });
    this.blocks = this.process.stdout[Symbol.asyncIterator]();
    options.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  /** @returns the next samples, or undefined after the last, when the exit status is known too. */
  async nextBlock(): Promise<Int16Array | undefined> {
    for (;;) {
      if (this.isAtEnd) return undefined;
      const next = await this.within(this.blocks.next());
      if (next.done) {
        await this.within(this.closed);
        this.isAtEnd = true;
      }
      const block = next.done ? this.downmix.end() : this.downmix.add(next.value);
      if (block.length > 0) return block;
    }
  }

  refusalAtEnd(samples: number): AudioRefused | undefined {
    const { exitCode, signalCode } = this.process;
    // SIGKILL that we did not send is the kernel's or an operator's doing and says nothing about the file.
    if (signalCode === 'SIGKILL' || signalCode === 'SIGTERM')
      throw new Error(`ffmpeg was ended by ${signalCode}`);
    // Its time of the processor is used up.
    if (signalCode === 'SIGXCPU')
      return new AudioRefused('undecodable_audio', 'Decoding the audio took too long.');
    // What the shell answers when it cannot start the program.
    if (exitCode === 126 || exitCode === 127)
      throw new Error(`ffmpeg could not be started: ${this.complaints.trim()}`);
    if (signalCode !== null) return new AudioRefused('undecodable_audio', 'The audio could not be decoded.');
    if (exitCode === 0 || samples > 0) return undefined;
    return /matches no streams|does not contain any stream/.test(this.complaints)
      ? new AudioRefused('undecodable_audio', 'The file contains no audio track.')
      : new AudioRefused('undecodable_audio', 'The file could not be decoded as audio.');
  }

  kill(): void {
    this.options.signal?.removeEventListener('abort', this.onAbort);
    killSandboxed(this.process);
    this.process.stdout.destroy();
    this.process.stderr.destroy();
  }

  private abandon(reason: Error): void {
    this.abandoned ??= { reason };
    this.onAbandoned?.(reason);
  }

  /** Waits for ffmpeg, but neither past the stall limit nor past what is left of the whole. */
  private async within<T>(promise: Promise<T>): Promise<T> {
    const stallMilliseconds = (this.options.stallSeconds ?? 30) * 1000;
    const leftMilliseconds = Math.max(0, (this.options.waitSeconds ?? 3600) * 1000 - this.waitedMilliseconds);
    const late =
      leftMilliseconds < stallMilliseconds
        ? new AudioRefused('undecodable_audio', 'Decoding the audio took too long.')
        : // A stall may be the disk's or the machine's fault, so another attempt is fair.
          new Error(`ffmpeg gave nothing for ${stallMilliseconds / 1000} seconds`);
    const began = performance.now();
    const timer = setTimeout(() => this.abandon(late), Math.min(stallMilliseconds, leftMilliseconds));
    try {
      // Not a race with a promise that outlives the wait: it would keep what every wait has brought, the whole recording.
      return await new Promise<T>((resolve, reject) => {
        this.onAbandoned = reject;
        if (this.abandoned) reject(this.abandoned.reason);
        promise.then(resolve, reject);
      });
    } finally {
      clearTimeout(timer);
      this.waitedMilliseconds += performance.now() - began;
    }
  }
}
