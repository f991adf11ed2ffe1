import { forEveryRow } from './every-row';

const table = Array.from({ length: 250 }, (_, index) => ({
  id: `00000000-0000-0000-0000-${String(index + 1).padStart(12, '0')}`,
}));
const page = (afterId: string, limit: number) =>
  Promise.resolve(table.filter((row) => row.id > afterId).slice(0, limit));

describe('a sweep', () => {
  it('reaches every row, also those behind a full page that cannot be rescued', async () => {
    const rescued: string[] = [];
    const failed: string[] = [];
    await forEveryRow(
      page,
      async (row) => {
        if (row.id <= table[149]!.id) throw new Error('hopeless');
        rescued.push(row.id);
      },
      (row) => failed.push(row.id),
    );
    expect(failed).toHaveLength(150);
    expect(rescued).toEqual(table.slice(150).map((row) => row.id));
  });
});
