/** A table as Markdown, with columns that line up in the source as well. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  );
  const text = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [text(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(text)];
}
