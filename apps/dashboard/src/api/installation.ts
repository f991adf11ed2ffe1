/** What this installation allows, as the gateway has written it into the page. */
export interface Installation {
  /** ISO 639 codes of the languages that are recognised. */
  languages: string[];
  maxFileBytes: number;
}

const USUAL: Installation = { languages: ['en'], maxFileBytes: 500_000_000 };

export function installation(): Installation {
  const content = document.querySelector<HTMLMetaElement>('meta[name="currawong"]')?.content;
  try {
    return { ...USUAL, ...(JSON.parse(content ?? '{}') as Partial<Installation>) };
  } catch {
    return USUAL;
  }
}
