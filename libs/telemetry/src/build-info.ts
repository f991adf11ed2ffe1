import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Gauge } from 'prom-client';

const buildInfo = new Gauge({
  name: 'currawong_build_info',
  help: 'Always 1; its labels say which build this process runs',
  labelNames: ['version', 'revision'],
});

/**
 * Images set CURRAWONG_VERSION and CURRAWONG_REVISION (the commit) when they are built; from a checkout the version is that
 * of the package and the revision is unknown.
 */
export function showBuild(environment: NodeJS.ProcessEnv = process.env): void {
  const version = environment['CURRAWONG_VERSION'] || packageVersion();
  buildInfo.set({ version, revision: environment['CURRAWONG_REVISION'] || 'unknown' }, 1);
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
