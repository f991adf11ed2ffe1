import type { TranscriptWord } from '@currawong/contracts';
import { deflateSync } from 'node:zlib';
import { z } from 'zod';
import { EngineUnavailable } from './recognizer';
import { languageCode, WITHOUT_SPACES } from './whisper-languages';

const Word = z.object({
  /** OpenAI's name of it, and that of servers that differ. */
  word: z.string().optional(),
  text: z.string().optional(),
  /** Some servers give none to words that they could not place. */
  start: z.number().nullish(),
  end: z.number().nullish(),
  probability: z.number().nullish(),
  confidence: z.number().nullish(),
});
type Word = z.infer<typeof Word>;
type TimedWord = Word & { start: number; end: number };

const Segment = z.object({
  text: z.string(),
  start: z.number().optional(),
  end: z.number().optional(),
  avg_logprob: z.number().nullish(),
  no_speech_prob: z.number().nullish(),
  compression_ratio: z.number().nullish(),
  words: z.array(Word).nullish(),
});
type Segment = z.infer<typeof Segment>;

const Answer = z.object({
  text: z.string(),
  language: z.string().nullish(),
  words: z.array(Word).nullish(),
  segments: z.array(Segment).nullish(),
});

/** Above this a text repeats itself; the limit of Whisper's authors. */
const MOST_COMPRESSIBLE = 2.4;
/** Both together mean text where nothing was said; theirs as well. */
const NO_SPEECH = 0.6;
const LEAST_LOG_PROBABILITY = -1;

/** Set up in a way that no repetition helps; the message is for the operator. */
export class EngineMisconfigured extends EngineUnavailable {
  override readonly name = 'EngineMisconfigured';
}

/**
 * The words of an answer in `verbose_json`, in each form that servers give it: a list of its own (OpenAI, speaches), or
 * tokens inside of segments (whisper.cpp). Words without times, and segments that the model itself doubts, are left out.
 * @param seconds length of what was sent
 * @param asked the language that was asked for, or `auto`
 * @param isProven whether this server has given words with times before
 * @throws EngineMisconfigured for text without any word that has times, or what is no transcription at all. From a
 *   server that is proven it is an Error: there it is this utterance, which must not be given back for ever.
 */
export function wordsOfAnswer(
  body: unknown,
  seconds: number,
  asked: string,
  isProven = false,
): { words: TranscriptWord[]; language?: string } {
  const answer = Answer.safeParse(body);
  if (!answer.success) {
    const [issue] = answer.error.issues;
    throw unusable(
      `The speech server's answer is not a transcription in verbose_json (${issue?.path.join('.') || 'body'}: ` +
        `${issue?.message ?? 'invalid'}).`,
      'Check ENGINE_URL, ENGINE_PATH and that the server knows response_format=verbose_json.',
      isProven,
    );
  }
  const { text, words, segments } = answer.data;
  const language = answer.data.language ? languageCode(answer.data.language) : null;
  const detected = asked === 'auto' && language ? { language } : {};
  const listed = (words ?? []).filter(isTimed);
  const given = listed.length > 0 ? listed : wordsInside(segments ?? [], language ?? asked);
  // Text of signs alone ("..." or notes) is how some models write that nothing was said.
  if (given.length === 0 && /[\p{L}\p{N}]/u.test(text))
    throw unusable(
      'The speech server gives text without words and their times (timestamp_granularities[]=word), so it cannot be used.',
      'Choose a server and model that give the times of words; docs/settings.md lists some.',
      isProven,
    );
  const doubted = (segments ?? []).filter(isDoubtful);
  const kept = given.filter((word) => !doubted.some((segment) => lies(word, segment)));
  return { words: kept.flatMap((word) => transcriptWord(word, seconds)), ...detected };
}

function unusable(why: string, advice: string, isProven: boolean): Error {
  return isProven
    ? new Error(`${why} It gave words with times before, so the recording is tried again.`)
    : new EngineMisconfigured(`${why} ${advice}`);
}

function isTimed(word: Word): word is TimedWord {
  return word.start != null && word.end != null;
}

function isDoubtful({ text, compression_ratio, no_speech_prob, avg_logprob }: Segment): boolean {
  return (
    (compression_ratio ?? compressionRatio(text)) > MOST_COMPRESSIBLE ||
    ((no_speech_prob ?? 0) > NO_SPEECH && (avg_logprob ?? 0) < LEAST_LOG_PROBABILITY)
  );
}

/** As Whisper computes it, for servers that do not say. */
function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}

function lies(word: TimedWord, { start = 0, end = Infinity }: Segment): boolean {
  const middle = (word.start + word.end) / 2;
  return middle >= start && middle <= end;
}

/** whisper.cpp calls tokens words: those without a space before them go on with the one before, also over segments. */
function wordsInside(segments: readonly Segment[], language: string): TimedWord[] {
  const joined: Word[] = [];
  const eachAWord = WITHOUT_SPACES.has(language);
  for (const token of segments.flatMap(tokensOf)) {
    const text = textOf(token);
    const last = joined.at(-1);
    if (!last || eachAWord || /^\s/.test(text)) joined.push({ ...token });
    else {
      last.word = textOf(last) + text;
      last.start ??= token.start;
      last.end = last.end == null ? token.end : Math.max(last.end, token.end ?? last.end);
      // As unsure as its least sure part.
      if (token.probability != null && last.probability != null)
        last.probability = Math.min(last.probability, token.probability);
    }
  }
  return joined.filter(isTimed);
}

/**
 * A character may be spread over tokens, each of which is then unreadable by itself (U+FFFD). The segment's text has
 * it whole: unreadable tokens in a row become one, with what stands there up to the next that is readable.
 */
function tokensOf({ text, words }: Segment): Word[] {
  const tokens: Word[] = [];
  let at = 0;
  for (let index = 0; index < (words ?? []).length; index++) {
    const token = words![index]!;
    if (!textOf(token).includes('\uFFFD')) {
      tokens.push(token);
      at = Math.max(at, text.indexOf(textOf(token), at) + textOf(token).length);
      continue;
    }
    let last = token;
    while (words![index + 1] && textOf(words![index + 1]!).includes('\uFFFD')) last = words![++index]!;
    const next = words![index + 1];
    const until = next ? text.indexOf(textOf(next), at) : text.length;
    const whole = text.slice(at, until < 0 ? at : until);
    at += whole.length;
    if (whole !== '') tokens.push({ ...token, word: whole, end: last.end ?? token.end });
  }
  return tokens;
}

function textOf({ word, text }: Word): string {
  return word ?? text ?? '';
}

/** Models give times a little beyond what they heard, and engines none at all as -1. */
function transcriptWord(word: TimedWord, seconds: number): TranscriptWord[] {
  const text = textOf(word).trim();
  if (text === '') return [];
  const start = Math.min(Math.max(0, word.start), seconds);
  const end = Math.min(Math.max(start, word.end), seconds);
  const probability = word.probability ?? word.confidence ?? null;
  return [
    { text, start, end, confidence: probability === null ? null : Math.min(1, Math.max(0, probability)) },
  ];
}
