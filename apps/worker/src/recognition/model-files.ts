import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { alone } from './model-lock';
import { download, hashOf } from './download';

/** What a model consists of and where it can be had. Sizes may be left out, digests may not. */
const Model = z.object({
  url: z.url(),
  files: z
    .record(
      z.string().regex(/^[\w-][\w.-]*$/, 'a plain file name'),
      z.object({
        bytes: z.number().int().positive().optional(),
        sha256: z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 of 64 hexadecimal digits'),
      }),
    )
    .refine((files) => 'model.bin' in files, 'model.bin is missing'),
});
const Manifest = z.record(z.string().regex(/^[\w-][\w.-]*$/), Model);
type ModelFile = z.infer<typeof Model>['files'][string] & { readonly path: string };

export interface ModelFilesOptions {
  /** Where models are kept, one folder each; or the folder of one model that somebody else put there. */
  readonly cacheFolder: string;
  readonly name: string;
  /** JSON, name → {url, files: name → {bytes, sha256}}; engines/models.json, or one of the operator's. */
  readonly manifestPath: string;
  /** Where the files lie instead, each under its name: a mirror. */
  readonly url?: string | undefined;
  /** Until a server must have begun to answer; default 10. */
  readonly connectSeconds?: number;
  /** Without a byte this long, a download is given up; default 30. */
  readonly stallSeconds?: number;
  /** Told often: bytes that are there, bytes in all (0 where the manifest does not say). */
  readonly onProgress?: (receivedBytes: number, totalBytes: number) => void;
  /** A line every few seconds while something is fetched or waited for. */
  readonly log?: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The model can neither be found nor fetched; the message says why and what to do. */
export class ModelUnavailable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ModelUnavailable';
  }
}

/**
 * The folder of the model's files, fetched first where they are not there. A file gets its name when its digest is
 * right, so what is there under its name was right once; its size is compared every time, its digest is not.
 * @throws ModelUnavailable, or the signal's reason.
 */
export async function modelFiles(options: ModelFilesOptions): Promise<string> {
  const found = findModel(options);
  if (found) return found;
  const { cacheFolder, name, log, signal } = options;
  const folder = join(cacheFolder, name);
  try {
    await mkdir(folder, { recursive: true });
    // Workers of one machine, or of one volume, fetch once.
    await alone(join(folder, 'fetching.lock'), { signal, log }, () => fetchAll(folder, options));
  } catch (error) {
    signal?.throwIfAborted();
    throw inWords(error, options);
  }
  return folder;
}

/** The folder where all files of the model are, whoever put them there; undefined where one is missing. */
export function findModel(
  options: Pick<ModelFilesOptions, 'cacheFolder' | 'name' | 'manifestPath'>,
): string | undefined {
  const { cacheFolder, name } = options;
  if (existsSync(join(cacheFolder, 'model.bin'))) return cacheFolder;
  const folder = join(cacheFolder, name);
  const model = readManifest(options.manifestPath)[name];
  // A model that no manifest names can still be put there by hand.
  if (!model) return existsSync(join(folder, 'model.bin')) ? folder : undefined;
  return filesOf(model).every((file) => isThere(folder, file)) ? folder : undefined;
}

/** Where the first, smallest file of a model would be fetched from: to ask whether it can be. */
export function modelAddress({ name, manifestPath, url }: Omit<ModelFilesOptions, 'cacheFolder'>): string {
  const model = known(readManifest(manifestPath), name, manifestPath);
  return addressOf(url ?? model.url, filesOf(model)[0]!);
}

/** @throws ModelUnavailable when the manifest cannot be read, or is not one. */
export function readManifest(path: string): z.infer<typeof Manifest> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ModelUnavailable(`The list of models ${path} cannot be read: ${(error as Error).message}`);
  }
  const manifest = Manifest.safeParse(content);
  if (manifest.success) return manifest.data;
  const [issue] = manifest.error.issues;
  throw new ModelUnavailable(
    `The list of models ${path} is not right at ${issue!.path.join('.')}: ${issue!.message}.`,
  );
}

async function fetchAll(folder: string, options: ModelFilesOptions): Promise<void> {
  const model = known(readManifest(options.manifestPath), options.name, options.manifestPath);
  const files = filesOf(model);
  const total = files.every(({ bytes }) => bytes) ? files.reduce((sum, { bytes = 0 }) => sum + bytes, 0) : 0;
  await needRoom(folder, files);
  let before = 0;
  let toldAt = Date.now();
  for (const file of files) {
    if (!isThere(folder, file)) {
      await fetchOne(folder, file, options.url ?? model.url, options, (received) => {
        options.onProgress?.(before + received, total);
        if (Date.now() - toldAt < 5000) return;
        toldAt = Date.now();
        const share =
          total > 0 ? ` of ${megabytes(total)} (${Math.floor((100 * (before + received)) / total)} %)` : '';
        options.log?.(`Fetching ${options.name}: ${megabytes(before + received)}${share}`);
      });
    }
    before += (await stat(join(folder, file.path))).size;
    options.onProgress?.(before, total);
  }
}

async function fetchOne(
  folder: string,
  file: ModelFile,
  url: string,
  { connectSeconds = 10, stallSeconds = 30, signal }: ModelFilesOptions,
  onBytes: (received: number) => void,
): Promise<void> {
  const path = join(folder, file.path);
  const part = `${path}.part`;
  const address = addressOf(url, file);
  await download(address, part, { connectSeconds, stallSeconds, signal, bytes: file.bytes, onBytes });
  const digest = await hashOf(part);
  if (digest !== file.sha256) {
    await Promise.all([rm(part, { force: true }), rm(`${part}.etag`, { force: true })]);
    throw new ModelUnavailable(
      `${address} is not the file that was expected (its SHA-256 is ${digest}, not ${file.sha256}) and was deleted: ` +
        `check MODEL_URL and the list of models.`,
    );
  }
  await rename(part, path);
  await rm(`${part}.etag`, { force: true });
}

async function needRoom(folder: string, files: readonly ModelFile[]): Promise<void> {
  const missing = files
    .filter((file) => !isThere(folder, file))
    .reduce((sum, { path, bytes = 0 }) => sum + bytes - sizeOf(join(folder, `${path}.part`)), 0);
  const { bavail, bsize } = await statfs(folder);
  if (missing <= bavail * bsize) return;
  throw Object.assign(new Error(`${megabytes(missing)} are needed, ${megabytes(bavail * bsize)} are free`), {
    code: 'ENOSPC',
  });
}

function known(manifest: z.infer<typeof Manifest>, name: string, path: string): z.infer<typeof Model> {
  const model = manifest[name];
  if (model) return model;
  throw new ModelUnavailable(
    `The model ${name} is not in ${path} (there are ${Object.keys(manifest).join(', ')}): put its files into MODEL_DIR, ` +
      `or name it with its digests in a list of your own (MODEL_MANIFEST).`,
  );
}

/** Small ones first, so that a wrong address shows before the large one. */
function filesOf(model: z.infer<typeof Model>): ModelFile[] {
  return Object.entries(model.files)
    .map(([path, file]) => ({ path, ...file }))
    .sort((a, b) => Number(a.path === 'model.bin') - Number(b.path === 'model.bin'));
}

function isThere(folder: string, { path, bytes }: ModelFile): boolean {
  const size = sizeOf(join(folder, path));
  return size > 0 && (bytes === undefined || size === bytes);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function addressOf(url: string, { path }: ModelFile): string {
  return `${url.replace(/\/+$/, '')}/${path}`;
}

function inWords(error: unknown, { cacheFolder, name }: ModelFilesOptions): Error {
  if (error instanceof ModelUnavailable) return error;
  const { message, code } = error as NodeJS.ErrnoException;
  const why = `The model ${name} could not be fetched`;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ModelUnavailable(
      `${why}: the disk of ${cacheFolder} is full (${message}). Free some room, or set MODEL_DIR to another folder.`,
    );
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return new ModelUnavailable(
      `${why}: ${cacheFolder} cannot be written. Make it writable, set MODEL_DIR to another folder, or put the files there.`,
    );
  }
  return new ModelUnavailable(
    `${why}: ${message}. Check the network connection, set MODEL_URL to a mirror, or put the files into ` +
      `${join(cacheFolder, name)}.`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}
