import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { type BuildFile, digestOf } from './build';

/** What the page must know of this installation before it asks the API anything. */
export interface Installation {
  maxFileBytes: number;
}

const PLACE = /<meta name="currawong" content="[^"]*"/;

/** The page with the installation written into it. Compressed here, because only now it is what it will be. */
export async function pageFor(page: BuildFile, installation: Installation): Promise<BuildFile> {
  const html = page.body.toString('utf8');
  if (!PLACE.test(html)) throw new Error('The page of the dashboard has no place for the installation.');
  const content = escapeAttribute(JSON.stringify(installation));
  const body = Buffer.from(html.replace(PLACE, () => `<meta name="currawong" content="${content}"`));
  const [br, gz] = await Promise.all([promisify(brotliCompress)(body), promisify(gzip)(body)]);
  return { ...page, body, encoded: { br, gzip: gz }, digest: digestOf(body) };
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
