import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Prepared } from './prepared';
import { outputOf } from './program';

type Images = Pick<Prepared, 'imageValues' | 'adminImage'>;

const chart = join(__dirname, '..', '..', 'helm', 'currawong');

/** Those that the chart names, or what CURRAWONG_IMAGE_REGISTRY and CURRAWONG_IMAGE_TAG say. */
export function publishedImages(): Images {
  const { image } = read<{ image: { registry: string } }>('values.yaml');
  const { appVersion } = read<{ appVersion: string }>('Chart.yaml');
  const registry = process.env['CURRAWONG_IMAGE_REGISTRY'] ?? image.registry;
  const tag = process.env['CURRAWONG_IMAGE_TAG'] ?? appVersion;
  return {
    imageValues: { image: { registry, tag } },
    adminImage: `${registry}/currawong-admin:${tag}`,
  };
}

/**
 * Builds all images of this checkout, and what stands in for those of others that no registry gives, and takes them into the
 * node of this machine. With CURRAWONG_IMAGE_TAG those are used that it has under this tag.
 * @param work the folder of the node, in which its containerd listens
 */
export async function buildImages(repository: string, work: string): Promise<Images> {
  const given = process.env['CURRAWONG_IMAGE_TAG'];
  const tag = given ?? 'cluster-test';
  if (!given) {
    const folder = join(repository, 'images');
    await outputOf(join(folder, 'build.sh'), ['--tag', tag, 'all'], { timeoutSeconds: 3_600 });
    const socket = join(work, 'run', 'containerd.sock');
    await outputOf(join(folder, 'load.sh'), ['--address', socket], { timeoutSeconds: 600 });
  }
  const server = (name: string) => ({ image: { repository: `localhost/${name}`, tag } });
  return {
    imageValues: {
      image: { registry: 'localhost', tag },
      evaluation: { postgres: server('postgres'), nats: server('nats'), store: server('seaweedfs') },
    },
    adminImage: `localhost/currawong-admin:${tag}`,
  };
}

function read<T>(file: string): T {
  return parse(readFileSync(join(chart, file), 'utf8')) as T;
}
