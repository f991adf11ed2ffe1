import { SAMPLES_PER_SECOND } from './pcm';

/** Decided anew for every so many samples, wherever the blocks end: the same recording is mixed the same way each time. */
const FRAME_SAMPLES = SAMPLES_PER_SECOND / 10;
/** What was long ago counts less: half after five seconds. */
const KEPT_PER_FRAME = 0.5 ** (1 / 50);
/** Channels as contrary as this are one sound with its sign turned in one of them; as alike as that, they are not. */
const CONTRARY = -0.6;
const ALIKE = 0;

/**
 * Makes one channel of what a decoder writes as a WAV file of one or two. Two are averaged; where one is the other turned
 * upside down (a cable with its wires crossed), which would cancel out all that is said, it is turned back first.
 */
export class Downmix {
  private bytes: Buffer = Buffer.alloc(0);
  private channels: number | undefined;
  private isTurned = false;
  /** Products of the two channels' samples, recent ones above all: left by left, right by right, left by right. */
  private products = [0, 0, 0] as [number, number, number];

  /** @returns the samples that are complete with these bytes, none while the header is still arriving */
  add(bytes: Buffer): Int16Array {
    this.bytes = this.bytes.length > 0 ? Buffer.concat([this.bytes, bytes]) : bytes;
    this.channels ??= this.takeHeader();
    if (this.channels === undefined) return new Int16Array(0);
    const frameBytes = 2 * this.channels * (this.channels === 1 ? 1 : FRAME_SAMPLES);
    return this.take(this.bytes.length - (this.bytes.length % frameBytes));
  }

  /** @returns what is left after the last bytes */
  end(): Int16Array {
    const { channels } = this;
    if (channels === undefined) return new Int16Array(0);
    return this.take(this.bytes.length - (this.bytes.length % (2 * channels)));
  }

  /** The number of channels, once the header has arrived. @throws Error for what is not a WAV file of this kind */
  private takeHeader(): number | undefined {
    const { bytes } = this;
    if (bytes.length < 12) return undefined;
    if (bytes.toString('latin1', 0, 4) !== 'RIFF') throw new Error('ffmpeg wrote something else than WAV');
    let channels = 0;
    for (let at = 12; at + 8 <= bytes.length;) {
      const name = bytes.toString('latin1', at, at + 4);
      if (name === 'data') {
        this.bytes = bytes.subarray(at + 8);
        if (channels !== 1 && channels !== 2) throw new Error(`ffmpeg wrote ${channels} channels`);
        return channels;
      }
      const size = bytes.readUInt32LE(at + 4);
      if (name === 'fmt ' && at + 12 <= bytes.length) channels = bytes.readUInt16LE(at + 10);
      at += 8 + size + (size % 2);
    }
    return undefined;
  }

  private take(count: number): Int16Array {
    // The copy gives the samples the even address that a typed array needs.
    const samples = new Int16Array(count / 2);
    Buffer.from(samples.buffer).set(this.bytes.subarray(0, count));
    this.bytes = this.bytes.subarray(count);
    if (this.channels === 1) return samples;
    const mixed = new Int16Array(samples.length / 2);
    for (let at = 0; at < mixed.length; at += FRAME_SAMPLES)
      this.mix(samples.subarray(2 * at, 2 * (at + FRAME_SAMPLES)), mixed.subarray(at, at + FRAME_SAMPLES));
    return mixed;
  }

  private mix(samples: Int16Array, mixed: Int16Array): void {
    let [left, right, both] = this.products;
    for (let index = 0; index < samples.length; index += 2) {
      left += samples[index]! * samples[index]!;
      right += samples[index + 1]! * samples[index + 1]!;
      both += samples[index]! * samples[index + 1]!;
    }
    const correlation = both / Math.sqrt(left * right || 1);
    if (correlation < CONTRARY) this.isTurned = true;
    else if (correlation > ALIKE) this.isTurned = false;
    const sign = this.isTurned ? -1 : 1;
    for (let index = 0; index < mixed.length; index++)
      mixed[index] = (samples[2 * index]! + sign * samples[2 * index + 1]!) / 2;
    this.products = [left * KEPT_PER_FRAME, right * KEPT_PER_FRAME, both * KEPT_PER_FRAME];
  }
}
