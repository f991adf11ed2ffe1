/**
 * The entries of a pip requirements file, by lower-case project name. An entry is a requirement with the
 * hash lines that continue it; comments and empty lines are left out.
 */
export function parseRequirements(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  const logicalLines = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n');
  for (const line of logicalLines) {
    const name = /^\s*([A-Za-z0-9][A-Za-z0-9._-]*)/.exec(line)?.[1];
    if (name) entries.set(name.toLowerCase(), line.trim().replaceAll(/\s+/g, ' '));
  }
  return entries;
}

/** A requirements file with only the named projects; a name that is not listed is a mistake of ours. */
export function selectRequirements(text: string, names: readonly string[]): string {
  const entries = parseRequirements(text);
  return names
    .map((name) => {
      const entry = entries.get(name.toLowerCase());
      if (!entry) throw new Error(`${name} is not in the requirements file.`);
      return entry + '\n';
    })
    .join('');
}
