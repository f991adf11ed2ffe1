/** Licences under which anything may be a part of the product: they ask for their own text, and for nothing of ours. */
const ALLOWED = new Set([
  ...[
    'MIT',
    'MIT-0',
    'ISC',
    '0BSD',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'Unlicense',
  ],
  ...['Zlib', 'CC0-1.0', 'Python-2.0', 'PSF-2.0'],
]);

/** What is used although its licence asks for more, and why that is met. */
export const EXCEPTIONS: Readonly<Record<string, { licence: string; reason: string }>> = {
  '@fontsource-variable/atkinson-hyperlegible-next': {
    licence: 'OFL-1.1',
    reason: 'A font; it is served unchanged and its licence with it (dashboard/font-licence.txt).',
  },
  tqdm: {
    licence: 'MPL-2.0 AND MIT',
    reason:
      'Of the speech engines; used unchanged, from the package index, so its source is where it came from.',
  },
};

/** Names that package indexes use besides those of SPDX. */
const OTHER_NAMES: Record<string, string> = {
  'MIT License': 'MIT',
  'BSD License': 'BSD-3-Clause',
  'Apache Software License': 'Apache-2.0',
  'Apache License 2.0': 'Apache-2.0',
};

/** `MIT`, `(MIT AND Zlib)`, `MIT OR GPL-2.0`: whether we may use what is under it. */
export function isAllowed(name: string, licence: string | undefined): boolean {
  if (!licence) return false;
  if (EXCEPTIONS[name]?.licence === licence) return true;
  const one = (part: string) => ALLOWED.has(OTHER_NAMES[part.trim()] ?? part.trim());
  return licence
    .replace(/[()]/g, '')
    .split(' AND ')
    .every((all) => all.split(' OR ').some(one));
}

/** From the head of a wheel's METADATA: what it says in SPDX's words, else in its own, else by its classifier. */
export function wheelLicence(metadata: string): string | undefined {
  const head = metadata.split('\n\n', 1)[0]!;
  const value = (pattern: RegExp) => pattern.exec(head)?.[1]?.trim() || undefined;
  return (
    value(/^License-Expression: *(.*)$/m) ??
    value(/^License: *(.*)$/m) ??
    value(/^Classifier: License :: OSI Approved :: (.*)$/m)
  );
}
