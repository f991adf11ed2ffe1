import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const SPACING = fileURLToPath(new URL('../../libs/contracts/src/spacing.ts', import.meta.url));

/** Served by the gateway under /dashboard/, with a policy that allows nothing inline and nothing from elsewhere. */
export default defineConfig({
  base: '/dashboard/',
  // From its source: what is built of it may not be there yet, or be another version's.
  resolve: { alias: { '@currawong/contracts/spacing': SPACING } },
  plugins: [react(), preloadFont(), compressed()],
  build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  // For work on the pages alone: everything else is answered by the platform that `npm start` has started.
  server: { proxy: { '/api': process.env['CURRAWONG_URL'] ?? 'http://localhost:8080' } },
});

/** The one font is asked for together with the scripts, not only once the styles have been read. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        return Object.keys(bundle ?? {})
          .filter((file) => /-latin-wght-normal.*\.woff2$/.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: {
              rel: 'preload',
              href: `/dashboard/${file}`,
              as: 'font',
              type: 'font/woff2',
              crossorigin: '',
            },
            injectTo: 'head',
          }));
      },
    },
  };
}

/** Compressed once, here, as small as it gets: the gateway only sends. The page itself is filled in there first. */
function compressed(): Plugin {
  let folder = '';
  return {
    name: 'compressed',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      const files = await readdir(folder, { recursive: true });
      await Promise.all(
        files
          .filter((file) => /\.(js|css|svg|webmanifest)$/.test(file))
          .map(async (file) => {
            const body = await readFile(join(folder, file));
            await writeFile(join(folder, `${file}.br`), await promisify(brotliCompress)(body));
            await writeFile(join(folder, `${file}.gz`), await promisify(gzip)(body, { level: 9 }));
          }),
      );
    },
  };
}
