import { SAMPLES_PER_SECOND, samplesOf, type SpeechSegment } from '../../audio/pcm';
import { detectSpeech } from '../../audio/voice-activity';
import { Breather } from '../breather';
import { CepstralAnalysis, COEFFICIENTS } from './cepstrum';
import type { SpeakerFeatures, Stretch } from './speaker-features';

/** Turns sound into what tells voices apart. */
export interface SpeakerEmbedder {
  readonly name: string;
  readonly version: string;
  /**
   * @param pcm 16 kHz mono samples of one chunk.
   * @param segments where there is speech; seconds from the beginning of `pcm`.
   * @param startSeconds where the chunk lies in the recording.
   */
  embed(
    pcm: Int16Array,
    segments: readonly SpeechSegment[],
    startSeconds: number,
    signal?: AbortSignal,
  ): Promise<SpeakerFeatures>;
}

/** The embedded one: 19 mel-frequency cepstral coefficients, no trained model. */
export const cepstralEmbedder: SpeakerEmbedder = {
  name: 'mfcc-bic',
  version: '1',
  async embed(pcm, segments, startSeconds, signal) {
    const breather = new Breather(signal);
    const tight = withoutPauses(pcm, segments);
    const frames = tight.map((segment) => CepstralAnalysis.framesIn(samplesOf(pcm, segment).length));
    const coefficients = new Float32Array(frames.reduce((sum, count) => sum + count, 0) * COEFFICIENTS);
    const analysis = new CepstralAnalysis();
    const stretches: Stretch[] = [];
    let offset = 0;
    for (const [index, segment] of tight.entries()) {
      const samples = samplesOf(pcm, segment);
      const count = frames[index]!;
      for (let frame = 0; frame < count; frame++, offset += COEFFICIENTS) {
        if (frame % 100 === 0) await breather.breathe();
        analysis.analyse(samples, frame, coefficients, offset);
      }
      if (count > 0) stretches.push({ start: startSeconds + segment.start, frames: count });
    }
    return { stretches, coefficients };
  },
};

/**
 * Recognition wants generous margins and bridged pauses; a model of a voice is spoilt by them. Keeps what is
 * tightly speech, and a segment as it is where nothing is.
 */
function withoutPauses(pcm: Int16Array, segments: readonly SpeechSegment[]): SpeechSegment[] {
  const tight = detectSpeech(pcm, {
    onsetDecibels: 12,
    holdDecibels: 8,
    paddingSeconds: 0.06,
    mergeSeconds: 0.25,
  });
  return segments.flatMap((segment) => {
    const within = tight
      .map(({ start, end }) => ({ start: Math.max(start, segment.start), end: Math.min(end, segment.end) }))
      .filter(({ start, end }) => end - start >= 0.05);
    const whole = { start: segment.start, end: Math.min(segment.end, pcm.length / SAMPLES_PER_SECOND) };
    return within.length > 0 ? within : [whole];
  });
}
