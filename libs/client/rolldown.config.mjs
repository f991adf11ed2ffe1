import { defineConfig } from 'rolldown';

/** One file for each way in: the library for `import` and for `require`, and the command line. */
const common = { platform: 'node', external: [/^node:/] };
const output = { dir: 'dist', sourcemap: true };

export default defineConfig([
  {
    ...common,
    input: { index: 'src/index.ts' },
    output: { ...output, format: 'esm', entryFileNames: '[name].mjs', cleanDir: true },
  },
  {
    ...common,
    input: { index: 'src/index.ts' },
    output: { ...output, format: 'cjs', entryFileNames: '[name].cjs' },
  },
  {
    ...common,
    input: { cli: 'src/cli/main.ts' },
    output: { ...output, format: 'cjs', entryFileNames: '[name].cjs' },
  },
]);
