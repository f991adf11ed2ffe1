/** Has the browser keep something as a file. */
export function saveAs(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Some browsers begin to read only after this turn of the loop.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
