// What a package needs besides what `npm run build` makes: declarations for both ways of importing it, and the licence.
import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { stdio: 'inherit' });
writeFileSync('dist/types/index.d.mts', "export * from './index.js';\n");
copyFileSync('../../LICENSE', 'dist/LICENSE');
