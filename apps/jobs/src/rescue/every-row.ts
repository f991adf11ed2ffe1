const PAGE = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Walks all rows that want rescue, a page at a time in the order of their ids. A row whose rescue fails is reported
 * and passed by, so that a page full of hopeless rows never keeps the rest waiting.
 */
export async function forEveryRow<Row extends { id: string }>(
  page: (afterId: string, limit: number) => Promise<Row[]>,
  rescue: (row: Row) => Promise<void>,
  failed: (row: Row, error: unknown) => void,
): Promise<void> {
  let afterId = FIRST_ID;
  for (;;) {
    const found = await page(afterId, PAGE);
    for (const row of found) {
      await rescue(row).catch((error: unknown) => failed(row, error));
      afterId = row.id;
    }
    if (found.length < PAGE) return;
  }
}
