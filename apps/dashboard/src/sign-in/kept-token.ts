const NAME = 'currawong:confirm-email';

/** The token of a link that needs somebody signed in, kept in this tab alone and only while they sign in. */
export const keptToken = {
  keep: (token: string): void => tried(() => sessionStorage.setItem(NAME, token)),
  read: (): string | null => tried(() => sessionStorage.getItem(NAME)) ?? null,
  clear: (): void => tried(() => sessionStorage.removeItem(NAME)),
};

/** A browser that keeps nothing throws; then the link is opened again after signing in. */
function tried<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
