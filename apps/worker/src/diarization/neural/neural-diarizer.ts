import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EngineProcess, type EngineProcessOptions, type EngineReady } from '../../recognition/engine-process';
import { pythonEnvironment } from '../../recognition/process-recognizer';
import { countRestart } from '../../metrics';
import { Breather } from '../breather';
import type { Diarizer, SpeakerTurn, TurnsOptions } from '../diarizer';
import { identify } from './cluster';
import { decodeObservation, encodeObservation, type Window } from './observation';
import { reconstruct } from './reconstruct';

export interface NeuralDiarizerOptions {
  /** A Python with the packages of engines/requirements-speakers.txt. */
  readonly pythonPath: string;
  /** The folder engines/. */
  readonly enginesFolder: string;
  /** The folder of segmentation.onnx and embedding.onnx. */
  readonly modelsFolder: string;
  /** Processor threads of the engine; default 1. */
  readonly threads?: number;
  readonly patience?: Pick<EngineProcessOptions, 'startSeconds' | 'patienceSeconds' | 'patienceFactor'>;
}

const NAME = 'neural';
/** Counts up when the same sound gives other turns. */
const VERSION = '1';

/**
 * Trained models in a process of their own (engines/speaker_engine.py) hear who speaks when in windows of ten seconds;
 * who is who over the whole recording is decided here. docs/decisions/0012-speakers.md says how well.
 * @throws EngineCrashed when the engine does not come up, Error where there are no models.
 */
export async function createNeuralDiarizer(options: NeuralDiarizerOptions): Promise<Diarizer> {
  const models = MODEL_FILES.map((name) => join(options.modelsFolder, name));
  for (const path of models)
    if (!existsSync(path)) throw new Error(`The speaker model ${path} does not exist`);
  const engine = new EngineProcess<EngineReady, { readonly windows: readonly HeardWindow[] }>({
    command: options.pythonPath,
    arguments: ['-u', join(options.enginesFolder, 'speaker_engine.py'), ...models],
    environment: { ...pythonEnvironment(), CURRAWONG_ENGINE_THREADS: String(options.threads ?? 1) },
    ...options.patience,
    onRestart: () => countRestart(NAME),
  });
  const { model = '' } = await engine.start();
  return {
    name: NAME,
    version: `${VERSION}-${model}`,
    async observe({ pcm, segments, startSeconds }, signal) {
      const spans = segments.map(({ start, end }) => [start, end]);
      const { windows } = await engine.ask(pcm, { segments: spans }, signal);
      return encodeObservation({ model, windows: windows.map((window) => received(window, startSeconds)) });
    },
    turns: neuralTurns,
    close: () => engine.close(),
  };
}

/** Needs no models, so that any worker can do it. @throws as `Diarizer.turns` does */
export async function neuralTurns(
  observations: readonly Buffer[],
  { numSpeakers, allowFewer = false, signal }: TurnsOptions,
): Promise<SpeakerTurn[]> {
  if (!Number.isInteger(numSpeakers) || numSpeakers < 1 || numSpeakers > 255) {
    throw new RangeError(`A recording cannot have ${numSpeakers} speakers`);
  }
  const decoded = observations.filter(({ length }) => length > 0).map(decodeObservation);
  if (new Set(decoded.map(({ model }) => model)).size > 1) {
    throw new RangeError('The chunks of the recording were heard with different speaker models');
  }
  const windows = decoded.flatMap((observation) => observation.windows);
  const breather = new Breather(signal);
  const identities = await identify(windows, { count: numSpeakers, allowFewer, breather });
  return reconstruct(windows, identities, breather);
}

const MODEL_FILES = ['segmentation.onnx', 'embedding.onnx'];

/** A window as the engine's answer has it. */
interface HeardWindow {
  readonly start: number;
  readonly voices: readonly (readonly { runs: number[]; alone: number; embedding: string | null }[])[];
}

function received({ start, voices }: HeardWindow, startSeconds: number): Window {
  return {
    start: startSeconds + start,
    voices: voices.map((voice) =>
      voice.map((piece) => ({
        ...piece,
        embedding: piece.embedding === null ? null : floats(Buffer.from(piece.embedding, 'base64')),
      })),
    ),
  };
}

function floats(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
