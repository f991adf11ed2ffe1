import { ensureGoProgram, helm, kubeconform } from '@currawong/local-platform';
import { join } from 'node:path';

const toolsFolder = join(__dirname, '..', '..', '.currawong');

/** Where each program lies is told to the tests by a variable; a program without one makes its tests be skipped. */
const variables = { CURRAWONG_HELM: helm, CURRAWONG_KUBECONFORM: kubeconform } as const;

/** jest calls this once before the first test of the chart. */
export default async function globalSetup(): Promise<void> {
  for (const [variable, program] of Object.entries(variables)) {
    if (process.env[variable]) continue;
    const result = await ensureGoProgram(program, toolsFolder, (name, state, seconds) =>
      process.stderr.write(
        state === 'started' ? `  ${name} is built …\n` : `✓ ${name} (${seconds.toFixed(1)} s)\n`,
      ),
    );
    if ('path' in result) process.env[variable] = result.path;
    else process.stderr.write(`Tests that need ${program.name} are skipped: ${result.missing}\n`);
  }
}
