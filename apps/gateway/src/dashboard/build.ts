import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

export type Encoding = 'br' | 'gzip';

/** One file of the build, in every form in which it may be asked for. */
export interface BuildFile {
  contentType: string;
  body: Buffer;
  /** Made when the dashboard was built. */
  encoded: Partial<Record<Encoding, Buffer>>;
  /** A digest of the contents; the same in every replica. */
  digest: string;
  /** Its name changes with its contents, so it may be kept for ever. */
  hashed: boolean;
}

/** By path below /dashboard/, such as `assets/index-8Ru6Lgsj.css`. Nothing else of the disk can be asked for. */
export type Build = ReadonlyMap<string, BuildFile>;

const PAGE = 'index.html';
const ENDINGS: Record<Encoding, string> = { br: '.br', gzip: '.gz' };
const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Reads a build into memory, less than a megabyte; undefined where there is none. */
export async function readBuild(folder: string): Promise<Build | undefined> {
  const names = await namesIn(folder);
  if (!names.has(PAGE)) return undefined;
  const build = new Map<string, BuildFile>();
  for (const name of names) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType) build.set(name, await readOne(folder, name, contentType, names));
  }
  return build;
}

async function namesIn(folder: string): Promise<Set<string>> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return new Set(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set();
    throw error;
  }
}

async function readOne(
  folder: string,
  name: string,
  contentType: string,
  names: ReadonlySet<string>,
): Promise<BuildFile> {
  const body = await readFile(join(folder, name));
  const encoded: BuildFile['encoded'] = {};
  for (const [encoding, ending] of Object.entries(ENDINGS) as [Encoding, string][])
    if (names.has(name + ending)) encoded[encoding] = await readFile(join(folder, name + ending));
  const digest = digestOf(body);
  return { contentType, body, encoded, digest, hashed: name.startsWith('assets/') };
}

export function digestOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 22);
}
