import { startPeer } from '../peers/peer-process';
import type { Heard, Loaded, SpeechPrograms, SpeechQuestion } from '../peers/speech';
import { cpuSeconds, watchMemory } from '../process-usage';
import type { SpeechBench } from './speech-bench';

/** Engines in a fresh process, called directly. */
export interface SpeechPeer {
  readonly loaded: Loaded;
  /** Decodes a recording and hears it with what was loaded. */
  hear(inputPath: string, numSpeakers: number, allowFewer?: boolean): Promise<Heard>;
  /** The most memory so far, of Node, the engines and ffmpeg together. */
  peakMiB(): number;
  /** Of the same processes, since the start; NaN where the system does not tell. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** @throws Error, with the engine's own words, when one does not come up */
export async function startSpeechPeer(
  { repositoryFolder, servers }: Pick<SpeechBench, 'repositoryFolder' | 'servers'>,
  engines: { readonly recognizer?: string; readonly diarizer?: string },
): Promise<SpeechPeer> {
  const programs: SpeechPrograms = {
    repositoryFolder,
    ffmpegPath: servers.tools.ffmpeg,
    pythonPath: servers.tools.python,
    speakerModelsFolder: servers.tools.speakerModels,
  };
  const peer = await startPeer('speech');
  const endWatch = watchMemory(peer.pid);
  const ask = <Answer>(question: SpeechQuestion) => peer.ask<Answer>(question);
  const stop = async () => {
    endWatch();
    await peer.stop();
  };
  try {
    const loaded = await ask<Loaded>({ ...programs, ask: 'load', ...engines });
    return {
      loaded,
      hear: (inputPath, numSpeakers, allowFewer) =>
        ask({
          ...{ ...programs, ask: 'hear', inputPath, numSpeakers },
          ...(allowFewer !== undefined && { allowFewer }),
        }),
      peakMiB: () => endWatch() / 1024 ** 2,
      cpuSeconds: () => cpuSeconds([peer.pid]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
