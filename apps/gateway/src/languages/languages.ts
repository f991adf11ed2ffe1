import { ListLanguages, type LanguageList, type ReplyOf } from '@currawong/contracts';
import { Requester } from '@currawong/messaging';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';

/** Workers announce themselves twice a minute: what is a few seconds old is as good as new. */
const KNOWN_FOR_MS = 5_000;
const DEADLINE_MS = 2_000;

/** What may be sent for `language`. */
export interface AcceptedLanguages {
  /** ISO 639 codes; never empty */
  languages: readonly string[];
  /** Whether `auto` may be sent as well. */
  auto: boolean;
  engine: ReplyOf<typeof ListLanguages>['engine'];
}

/** Before any engine was ever heard of: every one of ours knows English. */
const AT_FIRST: AcceptedLanguages = { languages: ['en'], auto: false, engine: null };

/** The languages of the engines that are at work, as `jobs` has heard of them; the operator's own list wins. */
@Injectable()
export class Languages {
  private readonly log = new Logger(Languages.name);
  private known = AT_FIRST;
  private asked: Promise<void> | undefined;
  private staleAtMs = 0;

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'LANGUAGES'>,
    private readonly requester: Requester,
  ) {}

  /** Never rejects: while `jobs` is away what it said last holds. */
  async accepted(): Promise<AcceptedLanguages> {
    if (performance.now() >= this.staleAtMs) {
      this.asked ??= this.ask().finally(() => {
        this.asked = undefined;
        this.staleAtMs = performance.now() + KNOWN_FOR_MS;
      });
      await this.asked;
    }
    const { LANGUAGES: chosen } = this.config;
    if (!chosen) return this.known;
    const languages = chosen.filter((code) => code !== 'auto');
    return { ...this.known, languages, auto: chosen.includes('auto') };
  }

  private async ask(): Promise<void> {
    try {
      const answer = await this.requester.ask(ListLanguages, {}, { deadlineMs: DEADLINE_MS });
      if (answer.ok && answer.value.languages.length > 0) this.known = answer.value;
    } catch (error) {
      this.log.warn(`the languages of the engines are not known anew: ${String(error)}`);
    }
  }
}

/** As they are listed: with their English names, in the order of these. */
export function languageList({ languages, auto, engine }: AcceptedLanguages): LanguageList {
  const names = new Intl.DisplayNames(['en'], { type: 'language' });
  return {
    languages: languages
      .map((code) => ({ code, name: names.of(code) ?? code }))
      .sort((one, other) => one.name.localeCompare(other.name, 'en')),
    auto,
    engine: engine && { name: engine.name, version: engine.version, model: engine.model ?? null },
  };
}
