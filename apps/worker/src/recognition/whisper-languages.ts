/** The languages of Whisper, with the names by which servers call them in answers where those are not the standard's. */
export const WHISPER_LANGUAGES: readonly string[] = (
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml ' +
  'cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am ' +
  'yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su'
).split(' ');

/** In these a word does not begin with a space, and a token stands for a word. */
export const WITHOUT_SPACES: ReadonlySet<string> = new Set(['zh', 'ja', 'th', 'lo', 'my', 'yue']);

const names = new Intl.DisplayNames('en', { type: 'language' });
const codes = new Map<string, string>([
  ...[...WHISPER_LANGUAGES, 'yue'].map((code) => [names.of(code)?.toLowerCase() ?? code, code] as const),
  ['nynorsk', 'nn'],
  ['javanese', 'jw'],
  ['haitian creole', 'ht'],
  ['lao', 'lo'],
  ['occitan', 'oc'],
  ['tagalog', 'tl'],
  ['sinhala', 'si'],
  ['punjabi', 'pa'],
  ['pashto', 'ps'],
  ['myanmar', 'my'],
  ['cantonese', 'yue'],
]);

/** @param language a code (`en`, `en-US`) or an English name; @returns the code; null for what is neither. */
export function languageCode(language: string): string | null {
  const text = language.trim().toLowerCase();
  const [primary = ''] = text.split(/[-_]/);
  return codes.get(text) ?? (/^[a-z]{2,3}$/.test(primary) ? primary : null);
}
