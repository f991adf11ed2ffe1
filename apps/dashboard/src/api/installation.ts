/** What this installation allows, as the gateway has written it into the page. */
export interface Installation {
  maxFileBytes: number;
}

const USUAL: Installation = { maxFileBytes: 500_000_000 };

export function installation(): Installation {
  const content = document.querySelector<HTMLMetaElement>('meta[name="currawong"]')?.content;
  try {
    return { ...USUAL, ...(JSON.parse(content ?? '{}') as Partial<Installation>) };
  } catch {
    return USUAL;
  }
}
