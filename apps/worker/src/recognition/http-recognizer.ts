import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { samplesIn, samplesOf, SAMPLES_PER_SECOND } from '../audio/pcm';
import { bySegment } from './by-segment';
import { EngineMisconfigured, wordsOfAnswer } from './http-recognizer-answer';
import { SpeechServer, type SpeechServerOptions } from './http-recognizer-client';
import type { Recognizer } from './recognizer';
import { languageCode, WHISPER_LANGUAGES } from './whisper-languages';

export interface HttpRecognizerOptions extends SpeechServerOptions {
  /** As the server calls it; needed where it has several. */
  readonly model?: string | undefined;
  /** Codes, with `auto` where the model detects the language; needed where neither server nor model's name tells. */
  readonly languages?: readonly string[] | undefined;
  /** How long a server that is not up yet is waited for; default 60. */
  readonly startSeconds?: number;
}

/** What a server says of itself. */
interface Discovered {
  readonly version: string;
  readonly model: string | null;
  readonly languages: readonly string[];
  readonly detectsLanguage: boolean;
  /** whisper.cpp's own server: language `auto` has to be said, and its words are tokens. */
  readonly isWhisperCpp: boolean;
}

/** Models that are not for this, or do not say, are in the same list. */
const Models = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      task: z.string().nullish(),
      language: z.union([z.array(z.string()), z.string()]).nullish(),
      languages: z.array(z.string()).nullish(),
    }),
  ),
});
type Model = z.infer<typeof Models>['data'][number];
const Release = z.object({ release: z.string().min(1) });

const DISCOVERY_SECONDS = 10;
/** Models hear less in utterances shorter than this than in the same ones with silence behind them; some refuse them. */
const SHORTEST_SECONDS = 0.2;

/**
 * A speech engine that is a server with OpenAI's interface: POST /v1/audio/transcriptions, one utterance a request.
 * whisper.cpp's whisper-server, speaches and every server that gives the times of words can be used.
 * @throws EngineUnavailable when the server does not answer or what it can do cannot be found out
 */
export async function createHttpRecognizer(options: HttpRecognizerOptions): Promise<Recognizer> {
  const server = new SpeechServer(options);
  try {
    return recognizerOf(server, await discover(server, options));
  } catch (error) {
    await server.close();
    throw error;
  }
}

function recognizerOf(server: SpeechServer, is: Discovered): Recognizer {
  let isProven = false;
  return {
    name: 'http',
    version: is.version,
    model: is.model,
    languages: is.languages,
    detectsLanguage: is.detectsLanguage,
    givesConfidence: true,
    recognize(pcm, segments, options) {
      const { language, prompt } = options;
      const fields = fieldsOf(is, language, prompt);
      return bySegment(segments, options, async (segment, signal) => {
        const heard = padded(samplesOf(pcm, segment));
        const seconds = heard.length / SAMPLES_PER_SECOND;
        const answer = await server.transcribe(
          heard,
          fields,
          (body) => wordsOfAnswer(body, seconds, language, isProven),
          signal,
        );
        isProven ||= answer.words.length > 0;
        return answer;
      });
    },
    close: () => server.close(),
  };
}

function fieldsOf(is: Discovered, language: string, prompt: string | undefined): [string, string][] {
  const fields: [string, string][] = [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
    ['temperature', '0'],
  ];
  if (is.model !== null) fields.push(['model', is.model]);
  if (language !== 'auto') fields.push(['language', language]);
  // Others detect it when they are told nothing; this one then takes it for English.
  else if (is.isWhisperCpp) fields.push(['language', 'auto']);
  if (prompt) fields.push(['prompt', prompt]);
  return fields;
}

async function discover(server: SpeechServer, options: HttpRecognizerOptions): Promise<Discovered> {
  const { status, server: software, body } = await whenUp(server, options.startSeconds ?? 60);
  if (status === 401 || status === 403)
    throw new EngineMisconfigured(`The speech server answered ${status}. Check ENGINE_API_KEY.`);
  const isWhisperCpp = software === 'whisper.cpp';
  const listed = Models.safeParse(body).data?.data ?? [];
  const candidates = listed.filter(({ task }) => !task || task === 'automatic-speech-recognition');
  if (options.model === undefined && candidates.length > 1) {
    const names = candidates.map(({ id }) => id).join(', ');
    throw new EngineMisconfigured(
      `The speech server has several models. Set ENGINE_MODEL to one of: ${names}.`,
    );
  }
  const model = options.model ?? candidates[0]?.id ?? null;
  const version = isWhisperCpp ? software : await releaseOf(server, software);
  const found = listed.find(({ id }) => id === model);
  return { version, model, isWhisperCpp, ...languagesOf(options.languages, model, found, isWhisperCpp) };
}

function languagesOf(
  configured: readonly string[] | undefined,
  model: string | null,
  found: Model | undefined,
  isWhisperCpp: boolean,
): Pick<Discovered, 'languages' | 'detectsLanguage'> {
  const told = found?.languages ?? found?.language ?? [];
  const isWhisper = isWhisperCpp || /whisper/i.test(model ?? '');
  const isEnglish = /[.-]en$/i.test(model ?? '');
  if (configured && configured.length > 0) {
    const languages = configured.filter((code) => code !== 'auto');
    return {
      languages: languages.length > 0 || !isWhisper ? languages : WHISPER_LANGUAGES,
      detectsLanguage: configured.includes('auto'),
    };
  }
  if (isWhisper) return { languages: isEnglish ? ['en'] : WHISPER_LANGUAGES, detectsLanguage: !isEnglish };
  const languages = [told].flat().flatMap((name) => languageCode(name) ?? []);
  if (languages.length > 0) return { languages: [...new Set(languages)], detectsLanguage: false };
  throw new EngineMisconfigured(
    'What languages the speech server knows cannot be found out. Set ENGINE_LANGUAGES, for example to en,de,auto.',
  );
}

/** NIM tells its release; of the others the name of the software is all there is. */
async function releaseOf(server: SpeechServer, software: string): Promise<string> {
  const answer = await server
    .get('/v1/version', AbortSignal.timeout(DISCOVERY_SECONDS * 1000))
    .catch(() => undefined);
  return Release.safeParse(answer?.body).data?.release ?? (software || 'unknown');
}

/** Server and worker may be started together. */
async function whenUp(server: SpeechServer, startSeconds: number) {
  const giveUpAt = performance.now() + startSeconds * 1000;
  for (;;) {
    try {
      const answer = await server.get('/v1/models', AbortSignal.timeout(DISCOVERY_SECONDS * 1000));
      if (answer.status < 500) return answer;
      throw new EngineMisconfigured(`The speech server answered ${answer.status} for /v1/models.`);
    } catch (error) {
      if (performance.now() + 1000 > giveUpAt) throw error;
      await sleep(1000);
    }
  }
}

function padded(pcm: Int16Array): Int16Array {
  if (pcm.length >= samplesIn(SHORTEST_SECONDS)) return pcm;
  const longer = new Int16Array(samplesIn(SHORTEST_SECONDS));
  longer.set(pcm);
  return longer;
}
