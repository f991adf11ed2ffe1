import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLES_PER_SECOND, SHORTEST_GAP_SAMPLES, speak, spelling, WORD_SAMPLES, WORDS } from './code';

/** One word and when it is said, seconds from the beginning of the recording. */
export interface SaidWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A recording of which every word is known. No word occurs twice. */
export interface CodedRecording {
  readonly path: string;
  readonly seconds: number;
  readonly words: readonly SaidWord[];
}

export interface CodedRecordingOptions {
  readonly ffmpegPath: string;
  /** Where it is written; its extension is the kind of file. */
  readonly path: string;
  readonly seconds: number;
  /** The same seed says the same words at the same times. */
  readonly seed: number;
  /** What ffmpeg is to make of it, for example `-c:a libopus -b:a 24k`. */
  readonly encoding?: readonly string[];
}

/**
 * Sentences of four to eighteen words. For some minutes there are pauses between them, for others the talk goes on without
 * one, so that a recording is cut in both ways.
 */
export async function codedRecording(options: CodedRecordingOptions): Promise<CodedRecording> {
  const { ffmpegPath, path, seconds, seed, encoding = [] } = options;
  const words: SaidWord[] = [];
  const ffmpeg = spawn(
    ffmpegPath,
    [
      ...[
        '-nostdin',
        '-v',
        'error',
        '-y',
        '-f',
        's16le',
        '-ar',
        String(SAMPLES_PER_SECOND),
        '-ac',
        '1',
        '-i',
        'pipe:0',
      ],
      ...[...encoding, path],
    ],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  const closed = once(ffmpeg, 'close');
  for (const sentence of sentences(seconds, seed)) {
    words.push(...sentence.words);
    const { buffer } = sentence.pcm;
    if (!ffmpeg.stdin.write(new Uint8Array(buffer)))
      await Promise.race([once(ffmpeg.stdin, 'drain'), closed]);
  }
  ffmpeg.stdin.end();
  const [status] = (await closed) as [number | null];
  if (status !== 0) throw new Error(`ffmpeg could not write the recording: status ${status}`);
  return { path, seconds, words };
}

function* sentences(seconds: number, seed: number): Generator<{ words: SaidWord[]; pcm: Int16Array }> {
  const random = seededRandom(seed);
  const end = Math.round(seconds * SAMPLES_PER_SECOND);
  const withoutPauses = () => Math.floor(at / SAMPLES_PER_SECOND / 90) % 3 === 1;
  let number = seed;
  let at = 0;
  while (at < end) {
    const words: SaidWord[] = [];
    const pause = withoutPauses() ? 0.1 + 0.2 * random() : 0.3 + 1.5 * random();
    let pcm = new Int16Array(Math.round(pause * SAMPLES_PER_SECOND));
    const planned = 4 + Math.floor(15 * random());
    for (let index = 0; index < planned; index++) {
      const gap = Math.round(SHORTEST_GAP_SAMPLES + random() * 3_000);
      const start = pcm.length;
      if (at + start + WORD_SAMPLES + gap > end) break;
      pcm = grown(pcm, WORD_SAMPLES + gap);
      // A multiplier without a common factor with the number of words reaches each before any comes twice.
      const word = (number++ * 611_953) % WORDS;
      speak(word, pcm, start);
      const startSeconds = (at + start) / SAMPLES_PER_SECOND;
      words.push({
        text: spelling(word),
        start: startSeconds,
        end: startSeconds + WORD_SAMPLES / SAMPLES_PER_SECOND,
      });
    }
    if (at + pcm.length + WORD_SAMPLES * 2 >= end) pcm = grown(pcm, Math.max(0, end - at - pcm.length));
    pcm = pcm.subarray(0, end - at).slice();
    yield { words, pcm };
    at += pcm.length;
  }
}

function grown(pcm: Int16Array, samples: number): Int16Array<ArrayBuffer> {
  const longer = new Int16Array(pcm.length + samples);
  longer.set(pcm);
  return longer;
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Settings of a worker that hears coded speech: its Python is a program that runs the coded engine where PocketSphinx is
 * asked for, and the Python itself for everything else.
 * @param folder where that program is written; it must stay while the worker runs
 */
export function codedEngine(
  folder: string,
  options: { pythonPath: string; realTimeFactor: number },
): Record<string, string> {
  const path = join(folder, 'python-with-coded-engine');
  const engine = join(__dirname, '..', '..', 'dist', 'coded-speech', 'engine.js');
  writeFileSync(
    path,
    '#!/bin/sh\ncase "$*" in *pocketsphinx_engine.py*) ' +
      `exec '${process.execPath}' '${engine}' ${options.realTimeFactor};; *) exec '${options.pythonPath}' "$@";; esac\n`,
  );
  chmodSync(path, 0o755);
  // Tones have no voices worth a trained model.
  return { RECOGNIZER: 'pocketsphinx', CURRAWONG_PYTHON: path, DIARIZER: 'mfcc-bic' };
}

/** What is wrong with what was heard, in words for whoever reads a failed test; empty where nothing is. */
export function compareWords(
  said: readonly SaidWord[],
  heard: readonly SaidWord[],
): { lost: string[]; doubled: string[]; strange: string[]; outOfOrder: number; worstTimeSeconds: number } {
  const places = new Map(said.map((word, index) => [word.text, index]));
  const times = new Map<string, number>();
  let outOfOrder = 0;
  let worstTimeSeconds = 0;
  let reached = -1;
  const strange: string[] = [];
  for (const word of heard) {
    const place = places.get(word.text);
    if (place === undefined) {
      strange.push(`${word.text} at ${word.start}`);
      continue;
    }
    times.set(word.text, (times.get(word.text) ?? 0) + 1);
    if (place < reached) outOfOrder++;
    reached = place;
    worstTimeSeconds = Math.max(
      worstTimeSeconds,
      Math.abs(word.start - said[place]!.start),
      Math.abs(word.end - said[place]!.end),
    );
  }
  const shown = ({ text, start }: SaidWord) => `${text} at ${start}`;
  return {
    lost: said.filter(({ text }) => !times.has(text)).map(shown),
    doubled: said.filter(({ text }) => (times.get(text) ?? 0) > 1).map(shown),
    strange,
    outOfOrder,
    worstTimeSeconds,
  };
}
