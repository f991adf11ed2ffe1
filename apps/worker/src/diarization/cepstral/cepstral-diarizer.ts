import { diarize } from './diarize';
import type { Diarizer } from '../diarizer';
import { cepstralEmbedder } from './speaker-embedder';
import { decodeFeatures, encodeFeatures } from './speaker-features';

/** The embedded one: 19 mel-frequency cepstral coefficients, no trained model. */
export const cepstralDiarizer: Diarizer = {
  name: cepstralEmbedder.name,
  version: cepstralEmbedder.version,
  async observe({ pcm, segments, startSeconds }, signal) {
    return encodeFeatures(await cepstralEmbedder.embed(pcm, segments, startSeconds, signal));
  },
  turns(observations, options) {
    return diarize(observations.filter(({ length }) => length > 0).map(decodeFeatures), options);
  },
  close: () => Promise.resolve(),
};
