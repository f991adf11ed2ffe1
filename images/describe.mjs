// node images/describe.mjs REFERENCE FOLDER: makes the blobs in FOLDER (an OCI layout, or what buildah pushes to `dir:`) an
// OCI layout that carries the image's full name, as containerd reads it, and prints name, size unpacked, and digest.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const [reference, layout] = process.argv.slice(2);
const blobs = join(layout, 'blobs/sha256');
if (!existsSync(join(layout, 'index.json'))) adopt();

const index = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'));
const entry = index.manifests[0];
entry.annotations = {
  'io.containerd.image.name': reference,
  'org.opencontainers.image.ref.name': reference.split(':').at(-1),
};
writeFileSync(join(layout, 'index.json'), JSON.stringify(index));

const manifest = JSON.parse(readFileSync(join(blobs, hexOf(entry.digest)), 'utf8'));
const packed = manifest.layers.find(({ mediaType }) => /gzip|zstd/.test(mediaType));
if (packed)
  throw new Error(`A layer of ${reference} is compressed (${packed.mediaType}): its size would mislead.`);
const megabytes =
  manifest.layers.reduce((sum, { digest }) => sum + statSync(join(blobs, hexOf(digest))).size, 0) / 1e6;
console.log(`${reference}  ${megabytes.toFixed(1)} MB  ${entry.digest}`);

/** buildah compresses what it writes as a layout, which takes longer than the build; it leaves a plain folder alone. */
function adopt() {
  const text = readFileSync(join(layout, 'manifest.json'));
  const digest = createHash('sha256').update(text).digest('hex');
  mkdirSync(blobs, { recursive: true });
  for (const name of readdirSync(layout)) {
    if (/^[0-9a-f]{64}$/.test(name)) renameSync(join(layout, name), join(blobs, name));
  }
  writeFileSync(join(blobs, digest), text);
  for (const name of ['manifest.json', 'version']) rmSync(join(layout, name));
  const { mediaType } = JSON.parse(text.toString());
  const manifests = [{ mediaType, digest: `sha256:${digest}`, size: text.length }];
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
}

function hexOf(digest) {
  return digest.replace('sha256:', '');
}
