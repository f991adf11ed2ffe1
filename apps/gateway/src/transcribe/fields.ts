import { Analysis, DETECTED_LANGUAGE } from '@currawong/contracts';
import { z } from 'zod';
import type { AcceptedLanguages } from '../languages/languages';

const MAX_PROMPT_TOKENS = 200;
/** Two hundred tokens of ordinary words are less; without it one token without spaces could be as long as a field. */
const MAX_PROMPT_CHARACTERS = 2_000;
const SPEAKERS_RULE = 'must be a whole number from 1 to 10';

/** The text fields of POST /transcribe, with the languages that the running engines support. */
export function transcribeFields({ languages, auto }: Pick<AcceptedLanguages, 'languages' | 'auto'>) {
  const allowed = auto ? [...languages, DETECTED_LANGUAGE] : languages;
  return z.object({
    // BCP 47: only the primary subtag matters to an engine.
    language: z
      .string()
      .transform((tag) => tag.trim().toLowerCase())
      .refine(
        (tag) =>
          (/^[a-z]{2,3}(-[a-z0-9]{1,8})*$/.test(tag) && languages.includes(tag.split('-')[0]!)) ||
          (auto && tag === DETECTED_LANGUAGE),
        `must be one of ${allowed.join(', ')}`,
      )
      .transform((tag) => tag.split('-')[0]!)
      // Held against the rule as well: an engine may not know the language that is meant where none is sent.
      .prefault('en'),
    num_speakers: z
      .string()
      .trim()
      .regex(/^\d{1,2}$/, SPEAKERS_RULE)
      .transform(Number)
      .pipe(z.number().int().min(1, SPEAKERS_RULE).max(10, SPEAKERS_RULE))
      .nullable()
      .default(null),
    prompt: z.string().transform(asPrompt).default(''),
    analysis: z.enum(Analysis.options, 'must be sentiment, or left out').nullable().default(null),
    // Where it leads is looked up apart from this: that takes time. An empty one is none, as a form sends it.
    webhook_url: z
      .string()
      .trim()
      .transform((url) => (url === '' ? null : url))
      .nullable()
      .default(null),
  });
}

/** The end of what was sent. Control characters mean nothing to an engine, and a database stores no NUL. */
function asPrompt(sent: string): string {
  const tokens = sent
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .split(/\s+/)
    .slice(-MAX_PROMPT_TOKENS);
  const end = tokens.join(' ').slice(-MAX_PROMPT_CHARACTERS);
  // A cut through a surrogate pair would leave half a character.
  return end.replace(/^[\udc00-\udfff]/, '').trim();
}
